// `issue-batch`: a partner's CSV through the gateway's batches, in parts that fit a request; the results go to a file beside it.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError } from '../errors.js';
import { type BatchFileFault, type BatchFileRow, csvLine, readBatchFile } from './batch-file.js';
import type { Output } from './import.js';
import { type TokenOptions, type TokenSource, tokenSource } from './partner-token.js';
import { ProgressBar } from './progress.js';

export interface IssueBatchOptions extends TokenOptions {
  url: string;
  issuer: string;
  credential: string;
  onDuplicate: string;
  dryRun?: boolean;
  retryFailed?: boolean;
  result?: string;
  run?: string;
}

type FileRow = BatchFileRow | BatchFileFault;

interface RowResult {
  rowKey: string;
  state: string;
  coreClaimHash: string | null;
  userUuid: string | null;
  error: { code: string; message: string | null } | null;
}

interface Job {
  jobId: string;
  state: string;
  progress: { total: number; waiting: number; failed: number };
}

/** A request's body stays below the gateway's limit of 256 KiB. */
const MAX_PART_BYTES = 200_000;
const MAX_PART_ROWS = 500;
const POLL_MS = 500;
const JOB = 'jobId state progress { total waiting failed }';
const HEADER = ['row', 'email', 'state', 'coreClaimHash', 'userUuid', 'code', 'message'];

/** Issues a file; answers the exit code: 1 if any row was not issued (or, in a dry run, would not be). */
export async function runIssueBatch(file: string, options: IssueBatchOptions, { out, err }: Output): Promise<number> {
  const text = textOf(file);
  const rows = readBatchFile(text);
  const client = new BatchClient(options.url.replace(/\/+$/, ''), tokenSource(options));
  const resultFile = options.result ?? `${file}.result.csv`;
  writeFileSync(resultFile, csvLine(HEADER), { mode: 0o600 });
  const bar = new ProgressBar(options.dryRun ? 'checking' : 'issuing', rows.length, err);
  const run = runName(text, options);
  let good = 0;
  try {
    let done = 0;
    for (const [index, part] of [...partsOf(rows)].entries()) {
      const results = await client.issue(part, options, `${run}-${index + 1}`, (ready) => bar.update(done + ready));
      done += part.length;
      good += [...results.values()].filter(({ state }) => state === 'ISSUED' || state === 'CHECKED').length;
      appendFileSync(resultFile, part.map((row) => resultLine(row, results.get(row.rowKey))).join(''));
    }
  } finally {
    bar.clear();
  }
  const word = options.dryRun ? 'fit' : 'issued';
  out.write(`${good} of ${rows.length} rows ${word}; results are in ${resultFile}\n`);
  return good === rows.length ? 0 : 1;
}

/** Names the parts of this run to the gateway: the same file again goes on with the batches that it made, for 24 hours. */
function runName(text: string, { run, issuer, credential, onDuplicate, dryRun = false }: IssueBatchOptions): string {
  const content = JSON.stringify([text, issuer, credential, onDuplicate, dryRun, run ?? '']);
  return `issue-batch-${createHash('sha256').update(content).digest('hex')}`;
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

function resultLine(row: FileRow, result: RowResult | undefined): string {
  if ('message' in row) return csvLine([row.rowKey, row.email, 'REFUSED', '', '', 'BAD_USER_INPUT', row.message]);
  const { state = '', coreClaimHash = '', userUuid = '', error } = result ?? {};
  return csvLine([
    row.rowKey,
    row.email,
    state,
    coreClaimHash ?? '',
    userUuid ?? '',
    error?.code ?? '',
    error?.message ?? '',
  ]);
}

/** The gateway's batches, as a partner uses them. */
class BatchClient {
  constructor(
    private readonly url: string,
    private readonly token: TokenSource,
  ) {}

  /** Issues one part and waits for its end; answers the results by row. */
  async issue(
    part: readonly FileRow[],
    options: IssueBatchOptions,
    idempotencyKey: string,
    report: (ready: number) => void,
  ): Promise<Map<string, RowResult>> {
    const rows = part.filter((row) => !('message' in row));
    if (rows.length === 0) return new Map();
    const { issuer: issuerDid, credential: credentialId, dryRun = false } = options;
    const onDuplicate = options.onDuplicate.toUpperCase();
    const input = { issuerDid, credentialId, onDuplicate, dryRun, rows, idempotencyKey };
    const create = `mutation ($input: IssueOnBehalfBatchInput!) { made: issueOnBehalfBatch(input: $input) { job { ${JOB} } } }`;
    let { job } = (await this.#ask<{ made: { job: Job } }>(create, { input })).made;
    if (options.retryFailed && job.progress.failed > 0) job = await this.#retry(job);
    while (job.state === 'RUNNING' || job.state === 'CANCELLING') {
      report(job.progress.total - job.progress.waiting);
      await pause(POLL_MS);
      const query = `query ($jobId: String!) { batch(jobId: $jobId) { ${JOB} } }`;
      job = (await this.#ask<{ batch: Job }>(query, { jobId: job.jobId })).batch;
    }
    return this.#results(job);
  }

  async #retry({ jobId }: Job): Promise<Job> {
    const retry = `mutation ($input: BatchInput!) { retried: retryBatch(input: $input) { job { ${JOB} } } }`;
    return (await this.#ask<{ retried: { job: Job } }>(retry, { input: { jobId } })).retried.job;
  }

  async #results({ jobId }: Job): Promise<Map<string, RowResult>> {
    const query = `query ($jobId: String!, $after: String) { batch(jobId: $jobId) { rows(first: 100, after: $after) {
      nodes { rowKey state coreClaimHash userUuid error { code message } } pageInfo { hasNextPage endCursor } } } }`;
    type Page = { nodes: RowResult[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    const results = new Map<string, RowResult>();
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
