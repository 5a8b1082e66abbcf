// Recipients that have a live credential of the kind: a dry run finds them before anything is sent, and what becomes of theirs is asked.
import { createHash, randomUUID } from 'node:crypto';
import { badInput, DomainError } from '../base/errors.js';
import type { BatchFileRow } from '../common/batch-row.js';
import { type BatchClient, type PartResult, partsOf } from './batch-client.js';
import type { FileRow } from './batch-file.js';
import type { CliOutput } from './import.js';
import { countOf } from './output.js';
import { ProgressBar } from './progress.js';

/** What is sent, and the keys of the rows that are not. */
export interface HeldTerms {
  onDuplicate: 'ignore' | 'revoke';
  omitted: ReadonlySet<string>;
}

interface HeldRun {
  client: BatchClient;
  run: string;
  options: { issuer: string; credential: string; onDuplicate?: string; retryFailed?: boolean; json?: boolean };
  output: CliOutput;
}

const NONE: ReadonlySet<string> = new Set();
const ANSWERS: Readonly<Record<string, string>> = { '': 'ignore', keep: 'ignore', replace: 'revoke', omit: 'omit' };
const CHOICES = `  keep     they keep it, and get no other
  replace  theirs is revoked, which cannot be undone, and they get this one
  omit     their rows are left out
What becomes of them? [keep] `;
const OPTIONS =
  'Nothing was sent. Give --on-duplicate: ignore leaves them what they have, revoke revokes theirs and issues these, omit leaves their rows out.';

/**
 * Decides what becomes of recipients that have one, by `--on-duplicate`, or by a question if there are any. Without either, and with
 * `--retry-failed`, all keep what they have.
 * @throws DomainError BAD_USER_INPUT, with their number and what to say, if there are any and nobody can be asked
 */
export async function heldTerms(due: readonly FileRow[], held: HeldRun): Promise<HeldTerms> {
  const { onDuplicate, retryFailed, json } = held.options;
  if (onDuplicate === 'revoke') return { onDuplicate, omitted: NONE };
  if (onDuplicate === 'ignore' || (onDuplicate === undefined && retryFailed))
    return { onDuplicate: 'ignore', omitted: NONE };
  const rows = due.filter((row): row is BatchFileRow => !('message' in row));
  const having = await heldAmong(rows, held);
  const said = heldSentence(having.size, rows.length);
  const choice = having.size === 0 ? 'ignore' : (onDuplicate ?? (await choiceOf(said, json ? {} : held.output)));
  if (choice === undefined) throw badInput(`${said} ${OPTIONS}`);
  if (choice === 'omit') return { onDuplicate: 'ignore', omitted: having };
  return { onDuplicate: choice === 'revoke' ? 'revoke' : 'ignore', omitted: NONE };
}

/** How many have one, of these rows. */
export const heldSentence = (count: number, rows: number): string =>
  `${count} of ${countOf(rows, 'recipient')} ${count === 1 ? 'has' : 'have'} a live credential of this kind already.`;

/** Asks until an answer is one of the choices. @returns undefined if nobody can be asked, or the input ends */
async function choiceOf(said: string, { ask }: Pick<CliOutput, 'ask'>): Promise<string | undefined> {
  for (let question = `${said}\n${CHOICES}`; ; question = 'Answer keep, replace or omit: ') {
    const answer = await ask?.(question);
    if (answer === undefined) return undefined;
    const choice = ANSWERS[answer.trim().toLowerCase()];
    if (choice !== undefined) return choice;
  }
}

/** The keys of the rows whose recipients have one. */
async function heldAmong(rows: readonly BatchFileRow[], held: HeldRun): Promise<ReadonlySet<string>> {
  const bar = new ProgressBar('checking', rows.length, held.output.err);
  const having = new Set<string>();
  let checked = 0;
  try {
    for (const part of partsOf(rows)) {
      for (const [rowKey, result] of await checkPart(part, held)) if (result.held) having.add(rowKey);
      checked += part.length;
      bar.update(checked);
    }
  } finally {
    bar.clear();
  }
  return having;
}

/**
 * A dry run of a part. Its key depends on the rows: a run that lost its result file gets the check from before it issued, in which nobody has
 * one, and so continues without a question. Where somebody had one in an earlier check, that may have changed, and it is made anew.
 */
async function checkPart(
  part: readonly BatchFileRow[],
  { client, run, options: { issuer, credential } }: HeldRun,
): Promise<ReadonlyMap<string, PartResult>> {
  const key = createHash('sha256')
    .update(JSON.stringify([run, part]))
    .digest('hex');
  const check = async (idempotencyKey: string) => {
    let isNew = false;
    const request = { issuer, credential, onDuplicate: 'ignore', dryRun: true, idempotencyKey };
    const onSent = (_job: string, state: string): void => {
      isNew = state === 'RUNNING';
    };
    const results = await client.issue(part, request, { onSent });
    return { results, isNew };
  };
  const first = await check(`check-batch-${key}`).catch(noneOfGoneBatch);
  if (first && (first.isNew || ![...first.results.values()].some((row) => row.held))) return first.results;
  return (await check(`check-batch-${randomUUID()}`)).results;
}

/** Converts NOT_FOUND to undefined: finished batches are deleted after a time. */
export function noneOfGoneBatch(error: unknown): undefined {
  if (!(error instanceof DomainError) || error.code !== 'NOT_FOUND') throw error;
}
