// `issue-batch`: a partner's CSV through the gateway's batches, in parts that fit a request; the results go to a file beside it.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError } from '../base/errors.js';
import { type BatchFileRow, readBatchFile } from './batch-file.js';
import {
  BatchResults,
  contentOf,
  type FileRow,
  isDone,
  planOf,
  type RowOutcome,
  type RunPlan,
} from './batch-results.js';
import type { CliOutput } from './import.js';
import { type TokenOptions, type TokenSource, tokenSource } from './partner-token.js';
import { ProgressBar } from './progress.js';

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

interface PartResult {
  rowKey: string;
  state: RowOutcome['state'];
  coreClaimHash: string | null;
  userUuid: string | null;
  error: { code: string; message: string | null } | null;
}

interface Job {
  jobId: string;
  state: string;
  progress: { total: number; waiting: number };
}

/** A request's body stays below the gateway's limit of 256 KiB. */
const MAX_PART_BYTES = 200_000;
const MAX_PART_ROWS = 500;
const POLL_MS = 500;
/** How often results that have come are written while others are awaited. */
const SAVE_MS = 2_000;
const JOB = 'jobId state progress { total waiting }';

/** Issues a file; returns the exit code: 1 if any row was not issued (or, in a dry run, would not be). */
export async function runIssueBatch(file: string, options: IssueBatchOptions, output: CliOutput): Promise<number> {
  const rows = readBatchFile(textOf(file));
  const client = new BatchClient(options.url.replace(/\/+$/, ''), tokenSource(options));
  const run = runOf(file, options);
  const resultFile = options.result ?? resultFileOf(file, options);
  // A dry run has nothing to remember; a file that was named may be one of a run, which is not written over.
  const fresh = options.dryRun && options.result === undefined;
  const results = fresh ? new BatchResults(resultFile, run) : BatchResults.read(resultFile, run);
  const plan = options.dryRun
    ? { due: new Set(rows.map(({ rowKey }) => rowKey)), notes: [] }
    : planOf(rows, results, options);
  if (!options.json) for (const note of plan.notes) output.out.write(`${note}\n`);
  await sendAll(rows, plan, { client, results, run, options, output });
  const done = rows.filter(({ rowKey }) => ['ISSUED', 'CHECKED'].includes(results.get(rowKey)?.state ?? '')).length;
  report({ rows: rows.length, done, sent: plan.due.size, resultFile }, options, output);
  return done === rows.length ? 0 : 1;
}

interface Sending {
  client: BatchClient;
  results: BatchResults;
  run: string;
  options: IssueBatchOptions;
  output: CliOutput;
}

/** Sends the rows that are due, part by part, and keeps what becomes of them. */
async function sendAll(rows: readonly FileRow[], { due }: RunPlan, sending: Sending): Promise<void> {
  const { results, options, output } = sending;
  const bar = new ProgressBar(options.dryRun ? 'checking' : 'issuing', due.size, output.err);
  let savedAt = performance.now();
  let sent = 0;
  let unsaved = false;
  try {
    // Parts are of the whole file, so that a part that was interrupted is the same part again.
    for (const part of partsOf(rows)) {
      const duePart = part.filter(({ rowKey }) => due.has(rowKey));
      if (duePart.length === 0) continue;
      await sendPart(duePart, sending, (ready) => bar.update(sent + ready));
      sent += duePart.length;
      unsaved = true;
      if (performance.now() - savedAt < SAVE_MS) continue;
      results.save(rows);
      savedAt = performance.now();
      unsaved = false;
    }
  } finally {
    bar.clear();
    if (unsaved) results.save(rows);
  }
}

async function sendPart(
  part: readonly FileRow[],
  { client, results, run, options }: Sending,
  onProgress: (ready: number) => void,
): Promise<void> {
  const attemptOf = ({ rowKey }: FileRow): number => (results.get(rowKey)?.attempt ?? 0) + 1;
  const rows = part.filter((row): row is BatchFileRow => !('message' in row));
  const onDuplicate = options.onDuplicate ?? (options.retryFailed ? 'ignore' : 'revoke');
  // Sending the same rows with the same key: after an interruption, within 24 hours, the gateway continues its batch.
  const content = JSON.stringify([run, onDuplicate, rows.map((row) => [row.rowKey, contentOf(row), attemptOf(row)])]);
  const key = options.dryRun ? randomUUID() : createHash('sha256').update(content).digest('hex');
  const idempotencyKey = `issue-batch-${key}`;
  const answers = await client.issue(rows, { ...options, onDuplicate, idempotencyKey }, onProgress);
  for (const row of part) {
    const previous = results.get(row.rowKey);
    // What was issued once stays known, whatever is in its row now.
    if ('message' in row && isDone(previous)) continue;
    const outcome = 'message' in row ? refusedOutcome(row.message) : outcomeOf(answers.get(row.rowKey));
    const attempt = 'message' in row ? (previous?.attempt ?? 0) : attemptOf(row);
    results.set(row.rowKey, { ...outcome, attempt, content: contentOf(row), email: row.email });
  }
}

type Became = Omit<RowOutcome, 'attempt' | 'content' | 'email'>;

const refusedOutcome = (message: string): Became => ({
  state: 'REFUSED',
  coreClaimHash: '',
  userUuid: '',
  code: 'BAD_USER_INPUT',
  message,
});

function outcomeOf(result: PartResult | undefined): Became {
  if (result === undefined) throw new Error('The gateway has no result for a row of its own batch.');
  const { state, coreClaimHash, userUuid, error } = result;
  return {
    state,
    coreClaimHash: coreClaimHash ?? '',
    userUuid: userUuid ?? '',
    code: error?.code ?? '',
    message: error?.message ?? '',
  };
}

interface BatchSummary {
  rows: number;
  done: number;
  sent: number;
  resultFile: string;
}

function report(
  { rows, done, sent, resultFile }: BatchSummary,
  { dryRun = false, json }: IssueBatchOptions,
  { out }: CliOutput,
): void {
  if (json) {
    out.write(`${JSON.stringify({ rows, done, failed: rows - done, sent, dryRun, resultFile })}\n`);
    return;
  }
  const rest = rows - done;
  const failed = rest === 0 ? '' : `, ${rest} ${dryRun ? 'do not' : 'not'}`;
  out.write(`${done} of ${rows} rows ${dryRun ? 'fit' : 'issued'}${failed}; results are in ${resultFile}\n`);
}

/** A run is known by its name (the file's, when none is given), its issuer and its credential. */
function runOf(file: string, { run, issuer, credential, dryRun = false }: IssueBatchOptions): string {
  const content = JSON.stringify([run ?? basename(file), issuer, credential, dryRun]);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function resultFileOf(file: string, { run, dryRun }: IssueBatchOptions): string {
  return `${file}${run === undefined ? '' : `.${run}`}${dryRun ? '.check.csv' : '.result.csv'}`;
}

function* partsOf(rows: readonly FileRow[]): Generator<FileRow[]> {
  let part: FileRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row)) + 1;
    if (part.length > 0 && (part.length === MAX_PART_ROWS || bytes + size > MAX_PART_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(row);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

interface PartRequest {
  issuer: string;
  credential: string;
  dryRun?: boolean;
  onDuplicate: string;
  idempotencyKey: string;
}

/** The gateway's batches, as a partner uses them. */
class BatchClient {
  constructor(
    private readonly url: string,
    private readonly token: TokenSource,
  ) {}

  /** Issues rows and waits for the end; returns the results by row. */
  async issue(
    rows: readonly BatchFileRow[],
    request: PartRequest,
    report: (ready: number) => void,
  ): Promise<Map<string, PartResult>> {
    if (rows.length === 0) return new Map();
    const { issuer: issuerDid, credential: credentialId, dryRun = false, idempotencyKey } = request;
    const onDuplicate = request.onDuplicate.toUpperCase();
    const input = { issuerDid, credentialId, onDuplicate, dryRun, rows, idempotencyKey };
    const create = `mutation ($input: IssueOnBehalfBatchInput!) { made: issueOnBehalfBatch(input: $input) { job { ${JOB} } } }`;
    let { job } = (await this.#ask<{ made: { job: Job } }>(create, { input })).made;
    while (job.state === 'RUNNING' || job.state === 'CANCELLING') {
      report(job.progress.total - job.progress.waiting);
      await pause(POLL_MS);
      const query = `query ($jobId: String!) { batch(jobId: $jobId) { ${JOB} } }`;
      job = (await this.#ask<{ batch: Job }>(query, { jobId: job.jobId })).batch;
    }
    return this.#results(job);
  }

  async #results({ jobId }: Job): Promise<Map<string, PartResult>> {
    const query = `query ($jobId: String!, $after: String) { batch(jobId: $jobId) { rows(first: 100, after: $after) {
      nodes { rowKey state coreClaimHash userUuid error { code message } } pageInfo { hasNextPage endCursor } } } }`;
    type Page = { nodes: PartResult[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    const results = new Map<string, PartResult>();
    for (let after: string | null = null; ; ) {
      const { batch }: { batch: { rows: Page } } = await this.#ask(query, { jobId, after });
      for (const result of batch.rows.nodes) results.set(result.rowKey, result);
      if (!batch.rows.pageInfo.hasNextPage) return results;
      after = batch.rows.pageInfo.endCursor;
    }
  }

  /** @throws DomainError, one sentence, when the gateway refuses or is away. */
  async #ask<T>(query: string, variables: object): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-partner-auth': await this.token() };
    const body = JSON.stringify({ query, variables });
    const request = { method: 'POST', headers, body, redirect: 'error' } as const;
    const answer = await fetch(`${this.url}/graphql`, request).catch((cause: unknown) => {
      const sentence = `The gateway at ${this.url} cannot be reached; run the same again to go on.`;
      throw new DomainError('STORE_UNAVAILABLE', sentence, {}, { cause });
    });
    const answered = (await answer.json().catch(() => ({}))) as {
      data?: T;
      errors?: { message: string }[];
      message?: string;
    };
    if (answered.data && !answered.errors) return answered.data;
    throw badInput(
      `The gateway refused: ${answered.errors?.[0]?.message ?? answered.message ?? `HTTP ${answer.status}`}`,
    );
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be read.`, {}, { cause });
  }
}
