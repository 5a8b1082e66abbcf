// Where an import goes: the operator API of a running gateway or, if none runs, the store itself.
import { Readable } from 'node:stream';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import type { ImportResult } from '../catalog/admin/import.js';
import type { App } from '../compose/app.js';
import { linesOf } from '../http/requests/ndjson.js';
import { CLI } from './caller.js';
import { findGateway, type GatewayOptions, operatorKeyFor, refusalOf } from './gateway.js';

export interface ImportTarget {
  /** Imports lines; returns one result per line, in order. */
  send(lines: AsyncIterable<string>): AsyncIterable<ImportResult>;
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
  return { name: url, close: async () => {}, send: (lines) => post(`${url}/v1/admin/import`, key, lines) };
}

async function* post(address: string, key: string, lines: AsyncIterable<string>): AsyncGenerator<ImportResult> {
  const body = Readable.toWeb(Readable.from(withEnds(lines))) as ReadableStream;
  const request = { body, duplex: 'half' as const, headers: { 'content-type': 'application/x-ndjson' } };
  yield* postForLines<ImportResult>(address, key, request);
}

/** A POST of the operator that returns NDJSON. @throws DomainError, one sentence, if the gateway refuses or the connection breaks. */
export async function* postForLines<T>(
  address: string,
  key: string,
  { headers, ...request }: { headers: Record<string, string>; body: string | ReadableStream; duplex?: 'half' },
): AsyncGenerator<T> {
  const call: RequestInit = { ...request, method: 'POST', headers: { ...headers, 'x-admin-api-key': key } };
  const answer = await fetch(address, { ...call, redirect: 'error' }).catch((cause: unknown) => {
    throw new DomainError('STORE_UNAVAILABLE', `The gateway at ${address} cannot be reached.`, {}, { cause });
  });
  if (!answer.ok || !answer.body) throw badInput(`The gateway refused the import: ${await refusalOf(answer)}`);
  try {
    for await (const line of linesOf(answer.body as unknown as AsyncIterable<Uint8Array>, MAX_ANSWER_LENGTH)) {
      if (line !== '') yield JSON.parse(line) as T;
    }
  } catch (cause) {
    const sentence = `The gateway at ${address} went away during the import; run it again to complete it.`;
    throw new DomainError('STORE_UNAVAILABLE', sentence, {}, { cause });
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
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
