// The built gateway as a process in a folder of its own: for tests that kill it, or read what it leaves behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { noteOutput } from './exchanges.js';
import { type RestAnswer, type RestOptions, type TestGateway, UNLIMITED } from './gateway.js';

export const OPERATOR_KEY = 'operator-key-of-the-process-0123456789abcdef';

const PORT_TAKEN = /EADDRINUSE|in use/;

/** Systems choose ports of servers and connections that name none from 32768 on, or from 49152 on. */
const [FIRST_PORT, END_OF_PORTS] = [20_000, 32_768];

/** Different ports that are free now. They stay free until they are named: the system chooses none of them. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, END_OF_PORTS);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const closed = new Promise((resolve) => server.once('close', resolve));
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await closed;
  return true;
}

export class GatewayProcess {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  /** Everything that the gateway has printed. */
  output = '';
  #child: ChildProcess | undefined;
  #url = '';

  /** @param folder the built gateway: this project, or a copy of the files that an installation has */
  constructor(
    private readonly env: Record<string, string> = {},
    private readonly folder = '.',
  ) {}

  /** The gateway's address. It differs after every start, unless PORT is set. */
  get url(): string {
    return this.#url;
  }

  /**
   * Starts the gateway, also after a stop, and waits until it is ready. @throws Error with the printed text if the
   * gateway ends instead.
   */
  async start(): Promise<void> {
    let before = this.output.length;
    while (!(await this.#isStarted())) {
      const printed = this.output.slice(before);
      // Another program may have taken the port since it was found free.
      if (!PORT_TAKEN.test(printed)) throw new Error(`The gateway has ended: ${printed}`);
      before = this.output.length;
    }
  }

  async #isStarted(): Promise<boolean> {
    const [port = 0] = this.env.PORT === undefined ? await freePorts(1) : [Number(this.env.PORT)];
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: this.dataDir,
      PORT: String(port),
      ADMIN_API_KEY: OPERATOR_KEY,
      SAMPLE_CATALOG: 'false',
      LOG_LEVEL: 'silent',
      ...UNLIMITED,
      ...this.env,
    };
    const child = spawn(process.execPath, [join(this.folder, 'dist/process/main.js')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#url = `http://127.0.0.1:${port}`;
    await this.#hasPrinted(child, `${this.#url}/health/ready`);
    for (;;) {
      // This is checked first, because the port of an ended gateway may now belong to another one.
      if (child.exitCode !== null || child.signalCode !== null) return false;
      if ((await fetch(`${this.#url}/health/ready`).catch(() => undefined))?.ok) return true;
      await delay(20);
    }
  }

  /**
   * Reads what the gateway prints; resolves when it has printed this text, or has ended. Repeated requests would slow
   * down its start.
   */
  #hasPrinted(child: ChildProcess, text: string): Promise<void> {
    const from = this.output.length;
    return new Promise((resolve) => {
      child.once('close', () => resolve());
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          this.output += chunk.toString();
          noteOutput(chunk.toString());
          if (this.output.includes(text, from)) resolve();
        });
      }
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Kills the gateway if it still runs, and removes its folder. */
  remove(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  rest = async (method: string, path: string, { body, headers = {} }: RestOptions = {}): Promise<RestAnswer> => {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : text };
  };

  admin = (method: string, path: string, { body, headers }: RestOptions = {}): Promise<RestAnswer> =>
    this.rest(method, path, { body, headers: { 'x-admin-api-key': OPERATOR_KEY, ...headers } });

  /**
   * The gateway in the form that the helpers for registering partners and issuers expect; they use only `rest` and
   * `admin`.
   */
  get asGateway(): TestGateway {
    return { rest: this.rest, admin: this.admin } as unknown as TestGateway;
  }
}
