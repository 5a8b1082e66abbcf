// The processes of a run: each keeps its address over all its lives, so that clients find it again.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATOR_KEY } from '../gateway-process.js';

const POLL_MS = 50;
const READY_TIMEOUT_MS = 30_000;
const START_LIMIT_MS = 600_000;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}

/** A program that is killed, paused and started again. */
export class Part {
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly args: readonly string[],
    private readonly env: Readonly<Record<string, string>>,
    private readonly isReady: () => Promise<boolean>,
  ) {
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Starts it and waits until it is ready. @throws Error when it ends, or is not ready in ten minutes. */
  async start(): Promise<void> {
    const env = { PATH: process.env.PATH, ...this.env };
    const child = spawn(process.execPath, [...this.args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = child;
    const startedAt = performance.now();
    while (!(await this.isReady())) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended with ${child.exitCode}`);
      if (performance.now() - startedAt > START_LIMIT_MS)
        throw new Error(`${this.name} is not ready after ten minutes`);
      await delay(POLL_MS);
    }
  }

  /** Whether it runs; a primary ends by itself when one of its processes is killed before that one has served. */
  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** SIGKILL, and waits for the end. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops it for a while as a machine that swaps or a debugger does. */
  async pause(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await delay(ms);
    this.#child?.kill('SIGCONT');
  }

  /** Kills one of the processes that it has started: workers, or the engine beside them. Answers whether there was one. */
  killChild(choose: (count: number) => number): boolean {
    const { pid } = this.#child ?? {};
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    const child = Number(children[choose(children.length)]);
    if (child > 0) process.kill(child, 'SIGKILL');
    return child > 0;
  }
}

/** The engine as a process of its own, in a folder. */
export async function enginePart(dataDir: string): Promise<{ part: Part; uri: string }> {
  const port = await freePort();
  const uri = `mongodb://127.0.0.1:${port}/credential_gateway`;
  const isReady = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', () => resolve(false)).once('connect', () => resolve(socket.destroy().destroyed));
    });
  const args = ['dist/engine/main.js', '--port', String(port), '--data-dir', dataDir];
  return { part: new Part('engine', args, {}, isReady), uri };
}

/** A gateway over a store, or (without a connection string) over its own in the folder; with several workers when asked for. */
export async function gatewayPart(
  name: string,
  { dataDir, uri = '', workers }: { dataDir: string; uri?: string; workers?: number },
): Promise<{ part: Part; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    DATA_DIR: dataDir,
    MONGODB_URI: uri,
    ADMIN_API_KEY: OPERATOR_KEY,
    // One key for all that share a store.
    KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'),
    SAMPLE_CATALOG: 'false',
    LOG_LEVEL: 'fatal',
  };
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) }).catch(() => undefined))
      ?.ok === true;
  const args = ['dist/process/main.js', ...(workers === undefined ? [] : ['--workers', String(workers)])];
  return { part: new Part(name, args, env, isReady), url };
}
