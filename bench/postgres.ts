// A PostgreSQL of its own for a measurement: in a scratch folder, on a loopback port, started and stopped here.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, scratchFolder } from './gateway-process.js';
import { cpuSecondsWithChildren } from './processor-time.js';

const DEBIAN = '/usr/lib/postgresql';
const USER = 'bench';
const POLL_MS = 50;
const START_LIMIT_MS = 30_000;

/** What to do where there is no PostgreSQL. */
export const HOW_TO_INSTALL = 'apt-get install -y --no-install-recommends postgresql';

/** Everything of the page in memory, no compiling of queries that take a millisecond, and no rounds of vacuum in between. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  'effective_cache_size=1GB',
  'random_page_cost=1.1',
  'jit=off',
  'autovacuum=off',
  'fsync=off',
  'max_connections=30',
];

export interface Postgres {
  uri: string;
  version: string;
  /** Processor time of all of its processes, seconds. */
  cpuSeconds(): number;
  /** Runs statements; `COPY … FROM stdin` may have its rows after it. @throws Error for the first that fails. */
  run(sql: string): void;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs, newest version first; undefined where it is not installed. */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin'));
  const path = (process.env.PATH ?? '').split(':');
  return [...folders, ...path].find((folder) => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
function userOfServer(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(bin: string, port: number, server: ChildProcess, log: string): Promise<void> {
  const from = performance.now();
  while (performance.now() - from < START_LIMIT_MS && server.exitCode === null) {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return;
    } catch {
      await delay(POLL_MS);
    }
  }
  throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8').slice(-1_000)}`);
}

/** Starts PostgreSQL over an empty database; undefined where it is not installed. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const bin = programs();
  if (bin === undefined) return undefined;
  const owner = userOfServer();
  const folder = scratchFolder();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  for (const path of [folder, data]) if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid ?? 0);
  const options = { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C'], options);
  const port = await freePort();
  const log = join(folder, 'log');
  const args = ['-D', data, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])];
  const output = openSync(log, 'w');
  const server = spawn(join(bin, 'postgres'), args, { ...owner, cwd: folder, stdio: ['ignore', output, output] });
  // At once, with all of its processes (pg_ctl(1), immediate).
  const end = (): boolean => server.kill('SIGQUIT');
  process.once('exit', end);
  await untilReady(bin, port, server, log);
  const run = (sql: string): void => {
    const where = ['-h', '127.0.0.1', '-p', String(port), '-U', USER, '-d', 'postgres'];
    execFileSync(join(bin, 'psql'), [...where, '-q', '-X', '-v', 'ON_ERROR_STOP=1'], { input: sql, stdio: 'pipe' });
  };
  return {
    uri: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    version: execFileSync(join(bin, 'postgres'), ['-V'], { encoding: 'utf8' }).trim(),
    cpuSeconds: () => cpuSecondsWithChildren(server.pid ?? 0),
    run,
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      end();
      await ended;
    },
  };
}
