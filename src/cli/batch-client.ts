// A client of the gateway's batches, with a partner's token.
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError } from '../base/errors.js';
import type { BatchFileRow } from './batch-file.js';
import type { RowOutcome } from './batch-results.js';
import type { TokenSource } from './partner-token.js';

/** The result of a row, in the gateway's format. */
export interface PartResult {
  rowKey: string;
  state: RowOutcome['state'] | 'WAITING';
  coreClaimHash: string | null;
  userUuid: string | null;
  error: { code: string; message: string | null } | null;
}

/** Receives the results of rows as they end, in the order of the rows. */
type OnEnded = (results: readonly PartResult[]) => void;

interface BatchPage {
  state: string;
  rows: {
    edges: { cursor: string; node: PartResult }[];
    pageInfo: { hasNextPage: boolean };
  };
}

const UNDER_WAY = ['RUNNING', 'CANCELLING'];

const POLL_MS = 500;
const SENT_BEFORE = [
  'These rows were sent before in this run, with other content or another --on-duplicate, and the result file does not know it.',
  'Put the file back, or the rows and --on-duplicate as they were: the same command then finds the results again.',
  '--run <another> --on-duplicate ignore issues only what is missing, and leaves every credential as it is;',
  'another --run alone revokes the credentials that were issued, and issues them again.',
].join(' ');

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
    { onSent, onEnded }: { onSent(jobId: string): void; onEnded: OnEnded },
  ): Promise<Map<string, PartResult>> {
    if (rows.length === 0) return new Map();
    const { issuer: issuerDid, credential: credentialId, dryRun = false, idempotencyKey } = request;
    const onDuplicate = request.onDuplicate.toUpperCase();
    const input = { issuerDid, credentialId, onDuplicate, dryRun, rows, idempotencyKey };
    const create =
      'mutation ($input: IssueOnBehalfBatchInput!) { made: issueOnBehalfBatch(input: $input) { job { jobId } } }';
    const { job } = (await this.#ask<{ made: { job: { jobId: string } } }>(create, { input })).made;
    onSent(job.jobId);
    return this.resultsOf(job.jobId, onEnded);
  }

  /** Waits for the end of a batch; returns its results by row. */
  async resultsOf(jobId: string, onEnded: OnEnded = () => {}): Promise<Map<string, PartResult>> {
    const query = `query ($jobId: String!, $after: String) { batch(jobId: $jobId) { state rows(first: 100, after: $after) {
      edges { cursor node { rowKey state coreClaimHash userUuid error { code message } } } pageInfo { hasNextPage } } } }`;
    const results = new Map<string, PartResult>();
    for (let after: string | null = null; ; ) {
      const page: { batch: BatchPage } = await this.#ask(query, { jobId, after });
      const { state, rows } = page.batch;
      const { edges, pageInfo } = rows;
      const waiting = edges.findIndex(({ node }) => node.state === 'WAITING');
      const ended = waiting < 0 ? edges : edges.slice(0, waiting);
      after = ended.at(-1)?.cursor ?? after;
      for (const { node } of ended) results.set(node.rowKey, node);
      if (ended.length > 0) onEnded(ended.map(({ node }) => node));
      const isPageEnded = waiting < 0;
      if (isPageEnded && pageInfo.hasNextPage) continue;
      if (isPageEnded && !UNDER_WAY.includes(state)) return results;
      await pause(POLL_MS);
    }
  }

  /** @throws DomainError, one sentence, if the gateway refuses or cannot be reached. */
  async #ask<T>(query: string, variables: object): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-partner-auth': await this.token() };
    const body = JSON.stringify({ query, variables });
    const request = { method: 'POST', headers, body, redirect: 'error' } as const;
    const answer = await fetch(`${this.url}/graphql`, request).catch((cause: unknown) => {
      const sentence = `The gateway at ${this.url} cannot be reached; run the same command again to continue.`;
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
