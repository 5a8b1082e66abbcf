// The built gateway as a process of its own, for what only a process can show: start, signals, exit codes, what it prints.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Machines may be busy: limits and deadlines have tests of their own. */
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
  /** Everything it has printed, until now. */
  output(): string;
  /** Its end, whoever caused it. */
  ended: Promise<Ended>;
  /** Sends a signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL' | 'SIGUSR2'): Promise<Ended>;
}

/** Takes what is to be done at an end; `onTestFinished` is for a test, `fileEnd` for a whole file. */
export type AtEnd = (work: () => void) => void;

/** The end of a file, for what its tests share: `afterAll(end)`. Works backwards, so that processes end before their folders. */
export function fileEnd(): { atEnd: AtEnd; end(): void } {
  const works: (() => void)[] = [];
  return {
    atEnd: (work) => void works.push(work),
    end: () => {
      for (const work of works.reverse()) work();
    },
  };
}

/** A folder that is gone after the test. */
export function scratchFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface RunOptions {
  /** The user (and group) it runs as. */
  owner?: number;
  /** Its command line. */
  args?: string[];
  /** When it is killed if it still runs; default: after the test. */
  atEnd?: AtEnd;
}

function run(
  env: Record<string, string>,
  { owner, args = [], atEnd = onTestFinished }: RunOptions = {},
): { child: ChildProcess; ended: Promise<Ended>; text: Ended } {
  const child = spawn(process.execPath, ['dist/process/main.js', ...args], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', ...PATIENT, ...env },
    ...(owner === undefined ? {} : { uid: owner, gid: owner }),
  });
  const text: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text.err += chunk;
  });
  atEnd(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ ...text, code })));
  return { child, ended, text };
}

/** The line with the address. The log of a sandbox names addresses too; the banner's is the one that says that all is there. */
const addressLineOf = (env: Record<string, string>): RegExp =>
  env.NETWORK_ENV === 'production' ? /^.*Server listening at .*$/m : /^ {2}GraphQL .*$/m;

/** Starts a gateway and waits until it has printed its addresses; in production that needs the LOG_LEVEL info. */
export async function startProcess(
  env: Record<string, string>,
  args: string[] = [],
  atEnd?: AtEnd,
): Promise<RunningProcess> {
  const { child, ended, text } = run(env, { args, atEnd });
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
