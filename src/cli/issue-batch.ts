// `issue-batch`: issues a partner's CSV in batches that fit a request; writes the results to a file beside the CSV.
import { createHash, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { badInput } from '../base/errors.js';
import type { BatchFileRow } from '../common/batch-row.js';
import { BatchClient, type PartResult, partsOf } from './batch-client.js';
import { type FileRow, readRows, textOfFile } from './batch-file.js';
import { watchInterrupt } from './batch-interrupt.js';
import {
  BatchResults,
  checkPlanOf,
  contentOf,
  HELD,
  isDone,
  OMITTED,
  planOf,
  type RowOutcome,
  type RunPlan,
} from './batch-results.js';
import { type HeldTerms, heldSentence, heldTerms, noneOfGoneBatch } from './held-recipients.js';
import type { CliOutput } from './import.js';
import { countOf } from './output.js';
import { type TokenOptions, tokenSource } from './partner-token.js';
import { ProgressBar } from './progress.js';
import { ResultSaver } from './result-saver.js';

export interface IssueBatchOptions extends TokenOptions {
  url: string;
  issuer: string;
  credential: string;
  onDuplicate?: string;
  dryRun?: boolean;
  retryFailed?: boolean;
  result?: string;
  run?: string;
  json?: boolean;
}

/** Issues a file; returns the exit code: 1 if any row was not issued (or, in a dry run, would not be). */
export async function runIssueBatch(file: string, options: IssueBatchOptions, output: CliOutput): Promise<number> {
  const skipped: string[] = [];
  const client = new BatchClient(options.url.replace(/\/+$/, ''), tokenSource(options));
  const rows = await rowsOfFile(file, options, client, (note) => skipped.push(note));
  const run = runOf(file, options);
  const resultFile = options.result ?? resultFileOf(file, options);
  // A dry run starts without earlier results. A named result file may belong to a run, so it is read and not overwritten.
  const fresh = options.dryRun && options.result === undefined;
  const results = fresh ? new BatchResults(resultFile, run) : BatchResults.read(resultFile, run);
  const isResumed = await awaitSentRows(client, results);
  const plan = options.dryRun ? checkPlanOf(rows, options) : planOf(rows, results, options);
  // Issuance cannot be undone, so first check that the results can be saved.
  if (plan.due.size > 0) results.trySave(rows);
  if (isResumed) results.save(rows);
  if (!options.json) for (const note of [...skipped, ...plan.notes]) output.out.write(`${note}\n`);
  const terms = options.dryRun ? UNASKED : await heldTerms(dueOf(rows, plan), { client, run, options, output });
  await sendAll(rows, plan, { client, results, run, terms, options, output });
  const countIn = (...states: string[]): number =>
    rows.filter(({ rowKey }) => states.includes(results.get(rowKey)?.state ?? '')).length;
  const [done, omitted] = [countIn('ISSUED', 'CHECKED'), countIn('OMITTED')];
  const sent = plan.due.size - terms.omitted.size;
  const held = [...results.entries()].filter(([, { state, message }]) => state === 'CHECKED' && message !== '').length;
  report({ rows: rows.length, done, omitted, held, sent, skipped, resultFile }, options, output);
  return done + omitted === rows.length ? 0 : 1;
}

/** A dry run changes nothing, whatever recipients have. */
const UNASKED: HeldTerms = { onDuplicate: 'ignore', omitted: new Set() };

const dueOf = (rows: readonly FileRow[], { due }: RunPlan): FileRow[] => rows.filter(({ rowKey }) => due.has(rowKey));

/** The rows of the file, with cells of their fields' types. @throws DomainError BAD_USER_INPUT. */
export async function rowsOfFile(
  file: string,
  { run = '', credential }: IssueBatchOptions,
  client: BatchClient,
  onNote: (note: string) => void,
): Promise<FileRow[]> {
  if (/[/\\]|\.\./.test(run))
    throw badInput('--run must be without /, \\ and ..: it becomes part of the name of the result file.');
  const text = textOfFile(file);
  return readRows(text, await client.fieldsOf(credential), onNote);
}

interface Sending {
  client: BatchClient;
  results: BatchResults;
  run: string;
  terms: HeldTerms;
  options: IssueBatchOptions;
  output: CliOutput;
}

/** Waits for the results of rows that an earlier run sent. @returns whether there were any. */
async function awaitSentRows(client: BatchClient, results: BatchResults): Promise<boolean> {
  const sent = [...results.entries()].filter(([, { state }]) => state === 'SENT');
  const jobs = new Set(sent.map(([, { job }]) => job));
  for (const jobId of jobs) {
    const answers = await client.resultsOf(jobId).catch(noneOfGoneBatch);
    for (const [rowKey, outcome] of sent)
      if (outcome.job === jobId) results.set(rowKey, { ...outcome, ...resultOrGone(answers?.get(rowKey)) });
  }
  return jobs.size > 0;
}

/** Sends the due rows part by part, and saves their results. */
async function sendAll(rows: readonly FileRow[], { due }: RunPlan, sending: Sending): Promise<void> {
  const { results, options, output } = sending;
  const { omitted } = sending.terms;
  const bar = new ProgressBar(options.dryRun ? 'checking' : 'issuing', due.size - omitted.size, output.err);
  const saver = new ResultSaver(results, rows, options.dryRun);
  for (const row of rows) {
    if (!omitted.has(row.rowKey)) continue;
    results.set(row.rowKey, { ...OMITTED, attempt: 0, content: contentOf(row), email: row.email, job: '' });
    saver.changed();
  }
  let sent = 0;
  const unwatch = watchInterrupt(results, output, () => {
    bar.clear();
    saver.flush();
  });
  try {
    // Parts are formed from all rows of the file, so that the next run forms the same part again after an interruption.
    for (const part of partsOf(rows)) {
      const duePart = part.filter(({ rowKey }) => due.has(rowKey) && !omitted.has(rowKey));
      if (duePart.length === 0) continue;
      let ended = 0;
      await sendPart(duePart, sending, {
        sent: () => {
          saver.sent += duePart.filter((row) => !('message' in row)).length;
          saver.save();
        },
        ended: (count) => {
          ended += count;
          bar.update(sent + ended);
          saver.changed();
        },
        waits: (seconds) => bar.update(sent + ended, `the gateway asks to wait ${countOf(seconds, 'second')}`),
      });
      sent += duePart.length;
      saver.changed();
    }
  } finally {
    unwatch();
    bar.clear();
    saver.flush();
  }
}

async function sendPart(
  part: readonly FileRow[],
  { client, results, run, terms, options }: Sending,
  progress: { sent(): void; ended(count: number): void; waits(seconds: number): void },
): Promise<void> {
  const before = new Map(part.map(({ rowKey }) => [rowKey, results.get(rowKey)]));
  const attemptOf = ({ rowKey }: FileRow): number => (before.get(rowKey)?.attempt ?? 0) + 1;
  const rows = part.filter((row): row is BatchFileRow => !('message' in row));
  const { onDuplicate } = terms;
  // The key depends on the recipients: within 24 hours the gateway continues the same batch, or refuses it if a row was
  // changed. It does not depend on --on-duplicate: otherwise a repeated run without its result file would replace the
  // credentials that the first run issued.
  const content = JSON.stringify([run, rows.map((row) => [row.rowKey, row.email, attemptOf(row)])]);
  const key = options.dryRun ? randomUUID() : createHash('sha256').update(content).digest('hex');
  const idempotencyKey = `issue-batch-${key}`;
  const sentAs = (row: FileRow, job: string) => ({
    attempt: attemptOf(row),
    content: contentOf(row),
    email: row.email,
    job,
  });
  let job = '';
  const onSent = (jobId: string): void => {
    job = jobId;
    if (options.dryRun) return;
    for (const row of rows) results.set(row.rowKey, { ...NO_RESULT, ...sentAs(row, job) });
    progress.sent();
  };
  for (const row of part) {
    const previous = before.get(row.rowKey);
    // A row that was issued keeps its result, even if its content has changed since.
    if (!('message' in row) || isDone(previous)) continue;
    const attempt = previous?.attempt ?? 0;
    results.set(row.rowKey, { ...refusedOutcome(row.message), ...sentAs(row, ''), attempt });
  }
  const byKey = new Map(rows.map((row) => [row.rowKey, row]));
  const onEnded = (ended: readonly PartResult[]): void => {
    for (const result of ended) {
      const row = byKey.get(result.rowKey);
      if (row) results.set(row.rowKey, { ...outcomeOf(result), ...sentAs(row, job) });
    }
    progress.ended(ended.length);
  };
  const watch = { onSent, onEnded, onWait: progress.waits };
  const answers = await client.issue(rows, { ...options, onDuplicate, idempotencyKey }, watch);
  for (const row of rows) if (!answers.has(row.rowKey)) results.set(row.rowKey, { ...GONE, ...sentAs(row, job) });
}

type Became = Omit<RowOutcome, 'attempt' | 'content' | 'email' | 'job'>;

const NO_RESULT: Became = { state: 'SENT', coreClaimHash: '', userUuid: '', code: '', message: '' };

const GONE: Became = {
  ...NO_RESULT,
  state: 'FAILED',
  code: 'NOT_FOUND',
  message:
    'The gateway no longer has its batch: --retry-failed sends it again, and does not replace a credential that was issued.',
};

const refusedOutcome = (message: string): Became => ({
  ...NO_RESULT,
  state: 'REFUSED',
  code: 'BAD_USER_INPUT',
  message,
});

function outcomeOf(result: PartResult): Became {
  const { state, coreClaimHash, userUuid, error, held } = result;
  return {
    state: state === 'WAITING' ? 'SENT' : state,
    coreClaimHash: coreClaimHash ?? '',
    userUuid: userUuid ?? '',
    code: error?.code ?? '',
    message: error?.message ?? (held ? HELD : ''),
  };
}

const resultOrGone = (result: PartResult | undefined): Became => (result ? outcomeOf(result) : GONE);

interface BatchSummary {
  rows: number;
  done: number;
  omitted: number;
  /** In a dry run: those whose recipients have one. */
  held: number;
  sent: number;
  /** Notes on empty rows and columns of the file. */
  skipped: string[];
  resultFile: string;
}

function report(
  { rows, done, omitted, held, sent, skipped, resultFile }: BatchSummary,
  { dryRun = false, json }: IssueBatchOptions,
  { out }: CliOutput,
): void {
  if (json) {
    const failed = rows - done - omitted;
    out.write(`${JSON.stringify({ rows, done, omitted, held, failed, sent, skipped, dryRun, resultFile })}\n`);
    return;
  }
  if (held > 0)
    out.write(`${heldSentence(held, done)} A run asks what becomes of theirs, or does as --on-duplicate says.\n`);
  const rest = rows - done - omitted;
  const leftOut = omitted === 0 ? '' : `, ${omitted} left out`;
  const failed = rest === 0 ? '' : `, ${rest} ${dryRun ? 'do not' : 'not (--retry-failed sends these again)'}`;
  out.write(
    `${done} of ${countOf(rows, 'row')} ${dryRun ? 'fit' : 'issued'}${leftOut}${failed}; results are in ${resultFile}\n`,
  );
}

/** A run is identified by its name (the file's, when none is given), its issuer and its credential. */
export function runOf(file: string, options: IssueBatchOptions, what?: 'offers'): string {
  const { run = basename(file), issuer, credential, dryRun = false } = options;
  const content = JSON.stringify([run, issuer, credential, what ?? dryRun]);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

export function resultFileOf(file: string, { run, dryRun }: IssueBatchOptions, end?: string): string {
  return `${file}${run === undefined ? '' : `.${run}`}${end ?? (dryRun ? '.check.csv' : '.result.csv')}`;
}
