// The built gateway as a process, for tests of its start, signals, exit codes and output.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { noteOutput } from './exchanges.js';

/** Time limits that suit a busy machine. Limits and deadlines have tests of their own. */
const PATIENT = { MAX_EVENT_LOOP_DELAY_MS: '0', REQUEST_TIMEOUT_SECONDS: '300' };

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface RunningProcess {
  url: string;
  pid: number;
  /** Everything that the process has printed until now. */
  output(): string;
  /** Resolves when the process ends, whatever the cause. */
  ended: Promise<Ended>;
  /** Sends a signal and waits until the process ends. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL' | 'SIGUSR2'): Promise<Ended>;
}

/** Registers work for the end: `onTestFinished` for the end of a test, `fileEnd` for the end of a file. */
export type AtEnd = (work: () => void) => void;

/**
 * Registers work for the end of a file, for what its tests share: `afterAll(end)`. The last registered work is done
 * first, so that processes end before their folders are removed.
 */
export function fileEnd(): { atEnd: AtEnd; end(): void } {
  const works: (() => void)[] = [];
  return {
    atEnd: (work) => void works.push(work),
    end: () => {
      for (const work of works.reverse()) work();
    },
  };
}

/** Creates a folder that is removed after the test. */
export function scratchFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface RunOptions {
  /** The user id and group id of the process. */
  owner?: number;
  /** The arguments of the command line. */
  args?: string[];
  /** When the process is killed if it still runs; default: after the test. */
  atEnd?: AtEnd;
  /** The Node that runs it; default: the one of the tests. */
  node?: string;
}

function run(
  env: Record<string, string>,
  { owner, args = [], atEnd = onTestFinished, node = process.execPath }: RunOptions = {},
): { child: ChildProcess; ended: Promise<Ended>; text: Ended } {
  const child = spawn(node, ['dist/process/main.js', ...args], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', ...PATIENT, ...env },
    ...(owner === undefined ? {} : { uid: owner, gid: owner }),
  });
  const text: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    text.out += chunk;
    noteOutput(String(chunk));
  });
  child.stderr.on('data', (chunk) => {
    text.err += chunk;
    noteOutput(String(chunk));
  });
  atEnd(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ ...text, code })));
  return { child, ended, text };
}

/**
 * The line with the address. A sandbox's log contains other addresses; only the line of the banner means that the start
 * is complete.
 */
const addressLineOf = (env: Record<string, string>): RegExp =>
  env.NETWORK_ENV === 'production' ? /^.*Server listening at .*$/m : /^ {2}GraphQL .*$/m;

/**
 * Starts a gateway and waits until it has printed its addresses; in production it prints them only with the LOG_LEVEL
 * info.
 */
export async function startProcess(
  env: Record<string, string>,
  args: string[] = [],
  atEnd?: AtEnd,
  node?: string,
): Promise<RunningProcess> {
  const { child, ended, text } = run(env, { args, atEnd, node });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [address] = ADDRESS.exec(addressLineOf(env).exec(text.out)?.[0] ?? '') ?? [];
      if (address !== undefined) resolve(address);
    });
    void ended.then(({ code, err }) => reject(new Error(`the gateway ended with ${code}: ${err}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    output: () => text.out,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a gateway that is expected to end by itself. */
export function runProcess(env: Record<string, string>, options: RunOptions = {}): Promise<Ended> {
  return run(env, options).ended;
}
