// `issue-batch --offers`: offers a credential to each recipient of a CSV. The addresses for wallets are in the result file alone.
import { createHash } from 'node:crypto';
import { badInput } from '../base/errors.js';
import type { BatchFileRow } from '../common/batch-row.js';
import { BatchClient } from './batch-client.js';
import type { FileRow } from './batch-file.js';
import { INTERRUPTED } from './batch-interrupt.js';
import {
  BatchResults,
  contentOf,
  isDone,
  OFFERS,
  OMITTED,
  planOf,
  type RowOutcome,
  shortened,
} from './batch-results.js';
import { type HeldTerms, heldTerms } from './held-recipients.js';
import type { CliOutput } from './import.js';
import { type IssueBatchOptions, resultFileOf, rowsOfFile, runOf } from './issue-batch.js';
import { type NewOffer, OfferClient, type OfferRefusal } from './offer-client.js';
import { countOf } from './output.js';
import { tokenSource } from './partner-token.js';
import { ProgressBar } from './progress.js';
import { ResultSaver } from './result-saver.js';

export interface IssueOffersOptions extends IssueBatchOptions {
  txCode?: 'mail' | 'partner' | 'none';
  /** Seconds. */
  expiresIn?: number;
}

/** Most seconds of an offer without a transaction code (contract §34). */
const MOST_WITHOUT_CODE_S = 600;

/** Offers the rows of a file; returns the exit code: 1 if any row has no offer, 130 after Ctrl-C. */
export async function runIssueOffers(file: string, options: IssueOffersOptions, output: CliOutput): Promise<number> {
  checkOptions(options);
  const notes: string[] = [];
  const url = options.url.replace(/\/+$/, '');
  const token = tokenSource(options);
  const batches = new BatchClient(url, token);
  const rows = await rowsOfFile(file, options, batches, (note) => notes.push(note));
  const run = runOf(file, options, 'offers');
  const resultFile = options.result ?? resultFileOf(file, options, '.offers.csv');
  const results = BatchResults.read(resultFile, run, OFFERS);
  const plan = planOf(rows, results, options);
  // An address is shown once, so first check that the results can be saved.
  if (plan.due.size > 0) results.trySave(rows);
  if (!options.json) for (const note of [...notes, ...plan.notes]) output.out.write(`${note}\n`);
  const due = rows.filter(({ rowKey }) => plan.due.has(rowKey));
  const terms = await heldTerms(due, { client: batches, run, options, output });
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  const client = new OfferClient(url, token, stop.signal);
  try {
    await offerAll(rows, due, { client, results, run, terms, options, output, signal: stop.signal });
  } finally {
    process.off('SIGINT', interrupt);
  }
  report(rows, results, options, output);
  const isSettled = ({ rowKey }: FileRow): boolean =>
    ['ISSUED', 'OFFERED', 'OMITTED'].includes(results.get(rowKey)?.state ?? '');
  if (!stop.signal.aborted) return rows.every(isSettled) ? 0 : 1;
  output.err.write('Interrupted. The same command continues where this one was.\n');
  return INTERRUPTED;
}

/** @throws DomainError BAD_USER_INPUT for options that do not go together. */
function checkOptions({ dryRun, txCode, expiresIn = 0 }: IssueOffersOptions): void {
  if (dryRun) throw badInput('--dry-run is without --offers: the checks of the rows are the same.');
  if (txCode === 'none' && expiresIn > MOST_WITHOUT_CODE_S)
    throw badInput(`--expires-in must be at most ${MOST_WITHOUT_CODE_S} with --tx-code none.`);
}

interface Offering {
  client: OfferClient;
  results: BatchResults;
  run: string;
  terms: HeldTerms;
  options: IssueOffersOptions;
  output: CliOutput;
  signal: AbortSignal;
}

/** Offers the due rows, until the signal; saves the results now and then, and at the end, however it comes. */
async function offerAll(rows: readonly FileRow[], due: readonly FileRow[], offering: Offering): Promise<void> {
  const { results, output, signal } = offering;
  const bar = new ProgressBar('offering', due.length, output.err);
  const saver = new ResultSaver(results, rows);
  try {
    for (const [done, row] of due.entries()) {
      if (signal.aborted) return;
      const onWait = (seconds: number): void => {
        saver.flush();
        bar.update(done, `the gateway asks to wait ${countOf(seconds, 'second')}`);
      };
      const outcome = await outcomeOf(row, offering, onWait);
      if (outcome === undefined) return;
      results.set(row.rowKey, outcome);
      if (!('message' in row)) saver.sent += 1;
      bar.update(done + 1);
      saver.changed();
    }
  } finally {
    bar.clear();
    saver.flush();
  }
}

/** Offers a row. @returns undefined after Ctrl-C. @throws DomainError if the run cannot go on. */
async function outcomeOf(
  row: FileRow,
  { client, results, run, terms, options }: Offering,
  onWait: (seconds: number) => void,
): Promise<RowOutcome | undefined> {
  const { rowKey, email } = row;
  const before = results.get(rowKey);
  const known = { ...NOTHING, email, content: contentOf(row), attempt: before?.attempt ?? 0 };
  // A row that was offered keeps its offer, even if its content is invalid now.
  if ('message' in row)
    return isDone(before) ? before : { ...known, state: 'REFUSED', code: 'BAD_USER_INPUT', message: row.message };
  if (terms.omitted.has(rowKey)) return { ...known, ...OMITTED, attempt: 0 };
  if (before?.offerId) await client.withdraw(before.offerId);
  const attempt = known.attempt + 1;
  const answer = await client.create(bodyOf(row, options, terms), keyOf(run, row, attempt), onWait);
  return answer && { ...known, attempt, ...resultOf(answer) };
}

const NOTHING = { coreClaimHash: '', userUuid: '', code: '', message: '', job: '' };

/** Depends on the recipient and not on the content, as in `issue-batch`: a repeated row gets its offer again. */
function keyOf(run: string, { rowKey, email }: BatchFileRow, attempt: number): string {
  const key = createHash('sha256').update(JSON.stringify([run, rowKey, email, attempt]));
  return `issue-offers-${key.digest('hex')}`;
}

function bodyOf({ rowKey: _, ...row }: BatchFileRow, options: IssueOffersOptions, { onDuplicate }: HeldTerms): object {
  const { issuer: issuerDid, credential: credentialId, txCode } = options;
  const expiresIn = options.expiresIn ?? (txCode === 'none' ? MOST_WITHOUT_CODE_S : undefined);
  return { ...row, issuerDid, credentialId, onDuplicate, txCode, expiresIn };
}

function resultOf(answer: NewOffer | OfferRefusal): Partial<RowOutcome> & Pick<RowOutcome, 'state'> {
  if ('message' in answer) return { state: 'FAILED', ...answer };
  const { offerId, offerUri, txCode, expiresAt, userUuid, coreClaimHash } = answer;
  return {
    ...{ state: offerId === null ? 'ISSUED' : 'OFFERED', userUuid, coreClaimHash: coreClaimHash ?? '' },
    ...{ offerId: offerId ?? '', offerUri: offerUri ?? '', txCode: txCode ?? '', expiresAt: expiresAt ?? '' },
  };
}

/** Prints a sentence for each refused row, and the counts. */
function report(
  rows: readonly FileRow[],
  results: BatchResults,
  { json }: IssueOffersOptions,
  { out }: CliOutput,
): void {
  const outcomes = rows.map(({ rowKey }) => results.get(rowKey));
  const countIn = (...states: string[]): number =>
    outcomes.filter((outcome) => outcome && states.includes(outcome.state)).length;
  const [offered, issued, failed] = [countIn('OFFERED'), countIn('ISSUED'), countIn('FAILED', 'REFUSED')];
  const omitted = countIn('OMITTED');
  const left = rows.length - offered - issued - omitted - failed;
  const { file: resultFile } = results;
  if (json) {
    out.write(`${JSON.stringify({ rows: rows.length, offered, issued, omitted, failed, left, resultFile })}\n`);
    return;
  }
  const refused = rows.flatMap(({ rowKey, email }) => {
    const { code = '', message = '' } = results.get(rowKey) ?? {};
    return code === '' ? [] : [`row ${rowKey} (${email}): ${message}`];
  });
  for (const line of shortened(refused)) out.write(`${line}\n`);
  const parts = [
    `${offered} of ${countOf(rows.length, 'row')} offered`,
    ...(issued > 0 ? [`${issued} with a live credential`] : []),
    ...(omitted > 0 ? [`${omitted} left out`] : []),
    ...(failed > 0 ? [`${failed} not (--retry-failed sends these again)`] : []),
    ...(left > 0 ? [`${left} left`] : []),
  ];
  out.write(`${parts.join(', ')}; the offers are in ${resultFile}\n`);
}
