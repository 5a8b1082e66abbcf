// Where an import goes: the operator API of a running gateway or, if none runs, the store itself.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import type { ImportResult } from '../catalog/admin/import.js';
import type { App } from '../compose/app.js';
import { linesOf } from '../http/requests/ndjson.js';
import { CLI } from './caller.js';
import { findGateway, type GatewayOptions, operatorKeyFor, refusalOf } from './gateway.js';
import { UnansweredLines } from './unanswered-lines.js';

export interface ImportTarget {
  /**
   * Imports lines; returns one result per line, in order.
   * @param onPause called with a sentence before a request is repeated.
   */
  send(lines: AsyncIterable<string>, onPause: (why: string) => void): AsyncIterable<ImportResult>;
  close(): Promise<void>;
  /** The name of the target in messages. */
  name: string;
}

const MAX_ANSWER_LENGTH = 100_000;
/** Time limit of one command to the store: longer than in a gateway, because no client waits. */
const PATIENCE_MS = 300_000;

/** Opens the target: the gateway that `findGateway` finds, else the store. @throws Error, one sentence. */
export async function openTarget(config: Config, options: GatewayOptions): Promise<ImportTarget> {
  const url = await findGateway(config, options);
  return url === undefined ? openStoreTarget(config) : gatewayTarget(url, operatorKeyFor(config, options));
}

function gatewayTarget(url: string, key: string): ImportTarget {
  const gateway = { address: `${url}/v1/admin/import`, key, wasReached: false };
  return { name: url, close: async () => {}, send: (lines, onPause) => sendAll(gateway, lines, onPause) };
}

interface GatewayOfImport {
  address: string;
  key: string;
  /** Whether a request of this import has reached it: then it may be starting again while it cannot be reached. */
  wasReached: boolean;
}

/**
 * How long to wait after each failure in succession, milliseconds: longer than a gateway takes to start again, or to
 * get rid of its load.
 */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/**
 * Sends lines in one request. If it breaks off, or the gateway cannot serve it now, the lines without a result are sent
 * again: those that were written are `unchanged` then. If no gateway was ever reached, nothing is repeated.
 */
async function* sendAll(
  gateway: GatewayOfImport,
  lines: AsyncIterable<string>,
  onPause: (why: string) => void,
): AsyncGenerator<ImportResult> {
  const { address, key } = gateway;
  const unanswered = new UnansweredLines(lines);
  let failures = 0;
  for (;;) {
    try {
      for await (const result of post(address, key, unanswered.texts())) {
        if (!unanswered.answer()) throw strange(address);
        failures = 0;
        gateway.wasReached = true;
        yield result;
      }
      if (unanswered.isDone) return;
      throw wentAway(address);
    } catch (error) {
      const pauseMs = PAUSES_MS[failures];
      if (pauseMs === undefined || !isPassing(error, gateway.wasReached)) throw error;
      failures += 1;
      gateway.wasReached = true;
      onPause(
        `The gateway cannot go on with the import now. Lines without a result are sent again in ${pauseMs / 1_000} s.`,
      );
      await pause(pauseMs);
    }
  }
}

/** Data of errors after which the request may succeed. */
const PASSING = { retryAfter: 1 } as const;

/** Whether the request may succeed later. @param wasReached whether an earlier one has reached the gateway */
function isPassing(error: unknown, wasReached: boolean): boolean {
  if (!(error instanceof DomainError) || error.code !== 'STORE_UNAVAILABLE') return false;
  return wasReached || error.data.retryAfter !== undefined;
}

async function* post(address: string, key: string, texts: AsyncIterable<string>): AsyncGenerator<ImportResult> {
  const body = Readable.toWeb(Readable.from(texts)) as ReadableStream;
  const request = { body, duplex: 'half' as const, headers: { 'content-type': 'application/x-ndjson' } };
  let line = 0;
  for await (const result of postForLines<ImportResult>(address, key, request)) {
    line += 1;
    if (!isResultOf(result, line)) throw strange(address);
    yield result;
  }
}

const RESULTS: readonly unknown[] = ['created', 'updated', 'unchanged', 'refused'];

/** Whether a line of a response is the result of the line of this number. */
function isResultOf(value: unknown, number: number): boolean {
  const { line, result } = Object(value) as Partial<ImportResult>;
  return line === number && RESULTS.includes(result);
}

/** A POST of the operator that returns NDJSON. @throws DomainError, one sentence, if the gateway refuses or the connection breaks. */
export async function* postForLines<T>(
  address: string,
  key: string,
  { headers, ...request }: { headers: Record<string, string>; body: string | ReadableStream; duplex?: 'half' },
): AsyncGenerator<T> {
  const call: RequestInit = { ...request, method: 'POST', headers: { ...headers, 'x-admin-api-key': key } };
  const answer = await fetch(address, { ...call, redirect: 'error' }).catch((cause: unknown) => {
    throw unreached(address, cause);
  });
  if (!answer.ok || !answer.body) throw await refused(answer);
  try {
    for await (const line of linesOf(answer.body as unknown as AsyncIterable<Uint8Array>, MAX_ANSWER_LENGTH)) {
      if (line !== '') yield JSON.parse(line) as T;
    }
  } catch (cause) {
    throw cause instanceof SyntaxError ? strange(address) : wentAway(address, cause);
  }
}

function wentAway(address: string, cause?: unknown): DomainError {
  const sentence = `The gateway at ${address} went away during the import; run it again to complete it.`;
  return new DomainError('STORE_UNAVAILABLE', sentence, PASSING, { cause });
}

/** The error of a response that no gateway sends. */
const strange = (address: string): DomainError => badInput(`What is at ${address} does not respond as a gateway does.`);

/** The error of a response without lines: STORE_UNAVAILABLE where it says when to try again. */
async function refused(answer: Response): Promise<DomainError> {
  const sentence = `The gateway refused the import: ${await refusalOf(answer)}`;
  return answer.headers.has('retry-after')
    ? new DomainError('STORE_UNAVAILABLE', sentence, PASSING)
    : badInput(sentence);
}

/** Codes of Node and undici for a connection that has ended, unlike one that was never open. */
const BROKEN: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** The error of a request without a response; a connection that broke may be tried again. */
function unreached(address: string, cause: unknown): DomainError {
  const { code } = Object(Object(cause).cause) as { code?: unknown };
  const data = BROKEN.includes(code) ? PASSING : {};
  return new DomainError('STORE_UNAVAILABLE', `The gateway at ${address} cannot be reached.`, data, { cause });
}

async function openStoreTarget(config: Config): Promise<ImportTarget> {
  const app = await openStoreApp(config);
  return {
    name: storeName(config),
    send: (lines) => flattened(app.services.catalogAdmin.importLines(CLI, lines)),
    close: () => app.close(),
  };
}

async function* flattened<T>(lists: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const list of lists) yield* list;
}

/** The name of the store in messages. */
export const storeName = ({ mongodbUri, dataDir }: Config): string =>
  mongodbUri === undefined ? `the store in ${dataDir}` : 'the store at MONGODB_URI';

/**
 * The gateway's services on the store, without a server; loaded on demand, because most imports go to a running
 * gateway. @throws DomainError STORE_UNAVAILABLE.
 */
export async function openStoreApp(config: Config): Promise<App> {
  const [{ createApp }, { isConnected }] = await Promise.all([
    import('../compose/app.js'),
    import('../store/connection.js'),
  ]);
  const patient = { ...config, requestTimeoutMs: PATIENCE_MS };
  const app = await createApp({ ...patient, sampleCatalog: false, mirrorFrom: [] }, { serves: false });
  if (isConnected(app.connection)) return app;
  await app.close();
  throw new DomainError('STORE_UNAVAILABLE', 'The store at MONGODB_URI does not respond.');
}
