// A gateway as users run it: the built program as a process of its own, in a data folder of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandOn } from './cores.js';

export const OPERATOR_KEY = 'operator-key-of-the-benchmarks-0123456789';
/** One key for all that share a store. */
export const KEYSTORE_KEY = Buffer.alloc(32, 1).toString('base64');
const UNLIMITED = { REQUEST_POINTS: '999999999', PARTNER_REQUEST_POINTS: '999999999' };
const PROGRAM = 'dist/process/main.js';
const POLL_MS = 10;
const START_LIMIT_MS = 120_000;

/** A new folder, gone when the process ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}

export interface GatewayOptions {
  sample?: boolean;
  mongodbUri?: string;
  /** Where it listens; any when not given. */
  port?: number;
  /** More of the environment. */
  settings?: Readonly<Record<string, string>>;
  /** The core that it runs on; any when not given. */
  core?: number;
  /** The checkout whose build runs, and its program there; ours when not given. */
  folder?: string;
  program?: string;
}

export class GatewayProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** From the start of the process to its first `ready`, milliseconds. */
    readonly readyMs: number,
    private readonly startedAt: number,
  ) {}

  /** Starts a gateway in this folder and waits until it is ready. */
  static async start(dataDir: string, options: GatewayOptions = {}): Promise<GatewayProcess> {
    const { sample = false, mongodbUri = '', settings = {}, core, folder = '.', program = PROGRAM } = options;
    const port = options.port ?? (await freePort());
    const url = `http://127.0.0.1:${port}`;
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      // As `npm start` and the image set it.
      MALLOC_ARENA_MAX: '2',
      PORT: String(port),
      DATA_DIR: dataDir,
      ADMIN_API_KEY: OPERATOR_KEY,
      KEYSTORE_KEY,
      LOG_LEVEL: 'warn',
      SAMPLE_CATALOG: String(sample),
      MONGODB_URI: mongodbUri,
      // What is measured is how fast it is, not what it lets through.
      ...UNLIMITED,
      ...settings,
    };
    const startedAt = performance.now();
    const [command, args] = core === undefined ? [process.execPath, [program]] : commandOn(core, [program]);
    const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    await untilReady(url, child, startedAt);
    return new GatewayProcess(child, url, performance.now() - startedAt, startedAt);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Milliseconds since the process was started. */
  sinceStart(): number {
    return performance.now() - this.startedAt;
  }

  /** Memory of its own that the process holds, bytes (proc(5), RssAnon). */
  rssAnon(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024;
  }

  /** One GraphQL operation; throws on any error in the answer. */
  async query(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
    const answer = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await answer.json()) as { data?: unknown; errors?: unknown };
    if (errors !== undefined) throw new Error(`the query failed: ${JSON.stringify(errors)}`);
    return data;
  }

  /** One GET; throws when it fails, answers the JSON. */
  async get(path: string): Promise<unknown> {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`GET ${path} failed: ${answer.status}`);
    return answer.json();
  }

  /** One PUT of the operator's; throws when it is refused, answers the record. */
  async put(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}/v1/admin/${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-admin-api-key': OPERATOR_KEY },
      body: JSON.stringify(body),
    });
    const record = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`PUT ${path} failed: ${JSON.stringify(record)}`);
    return record;
  }

  /** One DELETE of the operator's; throws when it is refused. */
  async remove(path: string): Promise<void> {
    const headers = { 'x-admin-api-key': OPERATOR_KEY };
    const answer = await fetch(`${this.url}/v1/admin/${path}`, { method: 'DELETE', headers });
    if (!answer.ok) throw new Error(`DELETE ${path} failed: ${answer.status}`);
  }

  /** Imports lines in one streamed request, as the command line does; throws when one is refused. @returns how many were written. */
  async import(lines: Iterable<object>): Promise<number> {
    const texts = function* (): Generator<string> {
      for (const line of lines) yield `${JSON.stringify(line)}\n`;
    };
    const answer = await fetch(`${this.url}/v1/admin/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'x-admin-api-key': OPERATOR_KEY },
      body: Readable.toWeb(Readable.from(texts())) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    const results = (await answer.text()).trimEnd().split('\n');
    const refused = results.find((line) => !/"result":"(created|updated|unchanged)"/.test(line));
    if (!answer.ok || refused !== undefined) throw new Error(`the import failed: ${refused ?? answer.status}`);
    return results.length;
  }

  /** SIGTERM, and waits for the end. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

async function untilReady(url: string, child: ChildProcess, startedAt: number): Promise<void> {
  while (performance.now() - startedAt < START_LIMIT_MS) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with exit code ${child.exitCode}`);
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    await answer?.text();
    if (answer?.ok) return;
    await delay(POLL_MS);
  }
  throw new Error('the gateway was not ready in time');
}
