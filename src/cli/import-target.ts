// Where an import goes: a running gateway's operator API, or, with none running, the store opened by ourselves.
import { Readable } from 'node:stream';
import { createApp } from '../app.js';
import type { ImportResult } from '../catalog/admin-import.js';
import type { Config } from '../config.js';
import { OPERATOR_KEY_FILE, readSecret } from '../data-dir.js';
import { badInput, DomainError } from '../errors.js';
import { linesOf } from '../rest/ndjson.js';
import { isConnected } from '../store.js';

export interface ImportTarget {
  /** Imports lines; one answer a line, in their order. */
  send(lines: AsyncIterable<string>): AsyncIterable<ImportResult>;
  close(): Promise<void>;
  /** For people: where it goes. */
  name: string;
}

export interface TargetOptions {
  url?: string;
  key?: string;
}

const PROBE_TIMEOUT_MS = 1_500;
const MAX_ANSWER_LENGTH = 100_000;

/** Opens the target: `url`, else the gateway at HOST:PORT if one runs, else the store. @throws Error, one sentence. */
export async function openTarget(config: Config, options: TargetOptions): Promise<ImportTarget> {
  const local = localAddress(config);
  const url = options.url?.replace(/\/+$/, '') ?? ((await isGateway(local)) ? local : undefined);
  return url === undefined ? openStoreTarget(config) : gatewayTarget(url, keyOf(config, options));
}

/** Where a gateway of this configuration is reached from here. */
function localAddress({ host, port }: Config): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

async function isGateway(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return answer.ok && ((await answer.json()) as { status?: unknown }).status === 'live';
  } catch {
    return false;
  }
}

function keyOf(config: Config, { key }: TargetOptions): string {
  const found = key ?? config.adminApiKey ?? readSecret(config.dataDir, OPERATOR_KEY_FILE);
  if (found) return found;
  throw badInput(
    `The operator's key is needed: give --key, set ADMIN_API_KEY, or set DATA_DIR to the gateway's folder.`,
  );
}

function gatewayTarget(url: string, key: string): ImportTarget {
  return { name: url, close: async () => {}, send: (lines) => post(`${url}/v1/admin/import`, key, lines) };
}

async function* post(address: string, key: string, lines: AsyncIterable<string>): AsyncGenerator<ImportResult> {
  const body = Readable.toWeb(Readable.from(withEnds(lines))) as ReadableStream;
  const headers = { 'content-type': 'application/x-ndjson', 'x-admin-api-key': key };
  const request: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
    redirect: 'error',
  };
  const answer = await fetch(address, request).catch((cause: unknown) => {
    throw new DomainError('STORE_UNAVAILABLE', `The gateway at ${address} cannot be reached.`, {}, { cause });
  });
  if (!answer.ok || !answer.body) throw badInput(`The gateway refused the import: ${await refusal(answer)}`);
  try {
    for await (const line of linesOf(answer.body as unknown as AsyncIterable<Uint8Array>, MAX_ANSWER_LENGTH)) {
      yield JSON.parse(line) as ImportResult;
    }
  } catch (cause) {
    const sentence = `The gateway at ${address} went away during the import; run it again to complete it.`;
    throw new DomainError('STORE_UNAVAILABLE', sentence, {}, { cause });
  }
}

async function refusal(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return `HTTP ${answer.status}`;
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

async function openStoreTarget(config: Config): Promise<ImportTarget> {
  const app = await createApp({ ...config, sampleCatalog: false });
  if (!isConnected(app.connection)) {
    await app.close();
    throw new DomainError('STORE_UNAVAILABLE', 'The store at MONGODB_URI does not answer.');
  }
  return {
    name: config.mongodbUri === undefined ? `the store in ${config.dataDir}` : 'the store at MONGODB_URI',
    send: (lines) => app.services.catalogAdmin.importLines({ kind: 'operator' }, lines),
    close: () => app.close(),
  };
}
