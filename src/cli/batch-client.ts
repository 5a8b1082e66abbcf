// A client of the gateway's batches, with a partner's token.
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError } from '../base/errors.js';
import type { BatchField, BatchFileRow } from '../common/batch-row.js';
import { retryAfterOf } from '../http/outbound/retry-after.js';
import type { RowOutcome } from './batch-results.js';
import type { TokenSource } from './partner-token.js';

/** The result of a row, in the gateway's format. */
export interface PartResult {
  rowKey: string;
  state: RowOutcome['state'] | 'WAITING';
  coreClaimHash: string | null;
  userUuid: string | null;
  /** In a dry run: whether the recipient has a live credential of the kind. */
  held: boolean | null;
  error: { code: string; message: string | null } | null;
}

/** What a caller may hear about while a batch is in progress. */
interface Watch {
  /** Receives the results of rows as they end, in the order of the rows. */
  onEnded?(results: readonly PartResult[]): void;
  /** The gateway asks to wait, because it cannot serve the request now. */
  onWait?(seconds: number): void;
}

interface BatchPage {
  state: string;
  rows: {
    edges: { cursor: string; node: PartResult }[];
    pageInfo: { hasNextPage: boolean };
  };
}

const UNDER_WAY = ['RUNNING', 'CANCELLING'];

const POLL_MS = 500;
/** A gateway that is overloaded, or has lost its store, asks for seconds; it may do so for some minutes. */
const MAX_WAIT_MS = 60_000;
const MAX_TRIES = 30;
const SENT_BEFORE = [
  'These rows were sent before in this run, with other content or another --on-duplicate, and the result file does not know it.',
  'Put the file back, or the rows and --on-duplicate as they were: the same command then finds the results again.',
  '--run <another> --on-duplicate ignore issues only what is missing, and leaves every credential as it is.',
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

  /** The fields of a credential; undefined if there is none with this id. */
  async fieldsOf(credentialId: string): Promise<BatchField[] | undefined> {
    const query =
      'query ($credentialId: String!) { credential(credentialId: $credentialId) { dataPoints { name title type } } }';
    const { credential } = await this.#ask<{ credential: { dataPoints: BatchField[] } | null }>(
      query,
      { credentialId },
      {},
    );
    return credential?.dataPoints;
  }

  /** Issues rows and waits for the end; returns the results by row. */
  async issue(
    rows: readonly BatchFileRow[],
    request: PartRequest,
    { onSent, ...watch }: Watch & { onSent(jobId: string, state: string): void },
  ): Promise<Map<string, PartResult>> {
    if (rows.length === 0) return new Map();
    const { issuer: issuerDid, credential: credentialId, dryRun = false, idempotencyKey } = request;
    const onDuplicate = request.onDuplicate.toUpperCase();
    const input = { issuerDid, credentialId, onDuplicate, dryRun, rows, idempotencyKey };
    const create =
      'mutation ($input: IssueOnBehalfBatchInput!) { made: issueOnBehalfBatch(input: $input) { job { jobId state } } }';
    const { job } = (await this.#ask<{ made: { job: { jobId: string; state: string } } }>(create, { input }, watch))
      .made;
    onSent(job.jobId, job.state);
    return this.resultsOf(job.jobId, watch);
  }

  /** Waits for the end of a batch; returns its results by row. */
  async resultsOf(jobId: string, watch: Watch = {}): Promise<Map<string, PartResult>> {
    const query = `query ($jobId: String!, $after: String) { batch(jobId: $jobId) { state rows(first: 100, after: $after) {
      edges { cursor node { rowKey state coreClaimHash userUuid held error { code message } } } pageInfo { hasNextPage } } } }`;
    const results = new Map<string, PartResult>();
    for (let after: string | null = null; ; ) {
      const page: { batch: BatchPage } = await this.#ask(query, { jobId, after }, watch);
      const { state, rows } = page.batch;
      const { edges, pageInfo } = rows;
      const waiting = edges.findIndex(({ node }) => node.state === 'WAITING');
      const ended = waiting < 0 ? edges : edges.slice(0, waiting);
      after = ended.at(-1)?.cursor ?? after;
      for (const { node } of ended) results.set(node.rowKey, node);
      if (ended.length > 0) watch.onEnded?.(ended.map(({ node }) => node));
      const isPageEnded = waiting < 0;
      if (isPageEnded && pageInfo.hasNextPage) continue;
      if (isPageEnded && !UNDER_WAY.includes(state)) return results;
      await pause(POLL_MS);
    }
  }

  /**
   * Sends a request, again for as long as the gateway asks to wait (`Retry-After`): it has its idempotency key, or reads.
   * @throws DomainError, one sentence, if the gateway refuses or cannot be reached.
   */
  async #ask<T>(query: string, variables: object, { onWait }: Watch): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send(JSON.stringify({ query, variables }));
      const answered = ((await answer.json().catch(() => null)) ?? {}) as Answered<T>;
      if (answered.data && !answered.errors) return answered.data;
      const waitMs = waitOf(answer, answered);
      if (waitMs > MAX_WAIT_MS || tries === MAX_TRIES) throw this.#refusalOf(answer, answered);
      onWait?.(Math.ceil(waitMs / 1_000));
      await pause(waitMs);
    }
  }

  #refusalOf({ ok, status }: Response, { errors, message }: Answered<unknown>): DomainError {
    const [error] = errors ?? [];
    const code = error?.extensions?.code;
    if (code === 'IDEMPOTENCY_KEY_REUSED') return badInput(SENT_BEFORE);
    const reason = error?.message ?? message;
    if (ok && reason === undefined)
      return new DomainError(
        'STORE_UNAVAILABLE',
        `${this.url} did not respond with a batch; run the same command again to continue.`,
      );
    const sentence = `The gateway refused: ${reason ?? `HTTP ${status}`}`;
    return new DomainError(code === 'NOT_FOUND' ? code : 'BAD_USER_INPUT', sentence);
  }

  async #send(body: string): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-partner-auth': await this.token() };
    const request = { method: 'POST', headers, body, redirect: 'error' } as const;
    return fetch(`${this.url}/graphql`, request).catch((cause: unknown) => {
      const sentence = `The gateway at ${this.url} cannot be reached; run the same command again to continue.`;
      throw new DomainError('STORE_UNAVAILABLE', sentence, {}, { cause });
    });
  }
}

/** A request's body stays below the gateway's limit of 256 KiB. */
const MAX_PART_BYTES = 200_000;
const MAX_PART_ROWS = 500;

/** Rows in parts that fit a request each. */
export function* partsOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = [];
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

interface Answered<T> {
  data?: T;
  errors?: { message: string; extensions?: { code?: string; retryAfter?: number } }[];
  message?: string;
}

/** Milliseconds until a refused request may be sent again; Infinity if it would be refused again. */
function waitOf({ headers }: Response, { errors }: Answered<unknown>): number {
  const seconds = errors?.[0]?.extensions?.retryAfter;
  if (seconds !== undefined) return seconds * 1_000;
  return retryAfterOf(headers.get('retry-after') ?? undefined, Date.now()) ?? Number.POSITIVE_INFINITY;
}
