// The gateway's batches, as a partner uses them.
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError } from '../base/errors.js';
import type { BatchFileRow } from './batch-file.js';
import type { RowOutcome } from './batch-results.js';
import type { TokenSource } from './partner-token.js';

/** The result of a row, in the gateway's form. */
export interface PartResult {
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

const POLL_MS = 500;
const SENT_BEFORE = [
  'These rows were sent before in this run, with other content or another --on-duplicate, and the result file does not know it.',
  'Put the file back, or the rows and --on-duplicate as they were: the same command then finds the results again.',
  '--run <another> --on-duplicate ignore issues only what is missing, and leaves every credential as it is;',
  'another --run alone revokes the credentials that were issued, and issues them again.',
].join(' ');
const JOB = 'jobId state progress { total waiting }';

export interface PartRequest {
  issuer: string;
  credential: string;
  dryRun?: boolean;
  onDuplicate: string;
  idempotencyKey: string;
}

/** Sends parts of a file as batches. */
export class BatchClient {
  constructor(
    private readonly url: string,
    private readonly token: TokenSource,
  ) {}

  /** Issues rows and waits for the end; returns the results by row. */
  async issue(
    rows: readonly BatchFileRow[],
    request: PartRequest,
    { onSent, report }: { onSent(jobId: string): void; report(ready: number): void },
  ): Promise<Map<string, PartResult>> {
    if (rows.length === 0) return new Map();
    const { issuer: issuerDid, credential: credentialId, dryRun = false, idempotencyKey } = request;
    const onDuplicate = request.onDuplicate.toUpperCase();
    const input = { issuerDid, credentialId, onDuplicate, dryRun, rows, idempotencyKey };
    const create = `mutation ($input: IssueOnBehalfBatchInput!) { made: issueOnBehalfBatch(input: $input) { job { ${JOB} } } }`;
    const { job } = (await this.#ask<{ made: { job: Job } }>(create, { input })).made;
    onSent(job.jobId);
    return this.resultsOf(job.jobId, report);
  }

  /** Waits for the end of a batch; returns its results by row. */
  async resultsOf(jobId: string, report: (ready: number) => void = () => {}): Promise<Map<string, PartResult>> {
    const progress = `query ($jobId: String!) { batch(jobId: $jobId) { ${JOB} } }`;
    for (;;) {
      const { batch: job } = await this.#ask<{ batch: Job }>(progress, { jobId });
      if (job.state !== 'RUNNING' && job.state !== 'CANCELLING') break;
      report(job.progress.total - job.progress.waiting);
      await pause(POLL_MS);
    }
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
      errors?: { message: string; extensions?: { code?: string } }[];
      message?: string;
    };
    if (answered.data && !answered.errors) return answered.data;
    const [error] = answered.errors ?? [];
    const code = error?.extensions?.code;
    if (code === 'IDEMPOTENCY_KEY_REUSED') throw badInput(SENT_BEFORE);
    const sentence = `The gateway refused: ${error?.message ?? answered.message ?? `HTTP ${answer.status}`}`;
    throw new DomainError(code === 'NOT_FOUND' ? code : 'BAD_USER_INPUT', sentence);
  }
}
