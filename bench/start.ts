// What `npm start` costs in a fresh data folder until the gateway answers: processor time of npm, of the check that dist is built, and of the
// gateway, which makes its indexes and the sample catalog.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, scratchFolder } from './gateway-process.js';
import { cpuSeconds, cpuSecondsWithChildren } from './processor-time.js';
import { type Bar, median } from './report.js';

const STARTS = 5;
const POLL_MS = 50;
/** The bar, seconds. */
const LIMIT_S = 1.5;

/** Processor seconds until the gateway is ready: of its own process, of the check that dist is built, and of npm. */
interface Start {
  gateway: number;
  build: number;
  npm: number;
}

async function start(): Promise<Start> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), DATA_DIR: scratchFolder(), LOG_LEVEL: 'warn', MONGODB_URI: '' };
  // A group of its own: npm does not pass every signal on.
  const child = spawn('npm', ['start'], { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  const group = child.pid ?? 0;
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`npm start ended with exit code ${child.exitCode}`);
      await delay(POLL_MS);
    }
    const pid = gatewayOf(group);
    const gateway = cpuSeconds(pid);
    // The shell that checked the build has become the gateway.
    return { gateway, build: cpuSecondsWithChildren(pid) - gateway, npm: cpuSeconds(group) };
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-group, 'SIGTERM');
    await ended;
  }
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    async (answer) => answer.ok && (await answer.text()) !== '',
    () => false,
  );

/** The process of a group that runs the gateway's program. */
function gatewayOf(group: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isOurs = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const inGroup = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] === String(group);
      return inGroup && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dist/process/main.js');
    } catch {
      return false;
    }
  };
  const pid = pids.filter(isOurs).map(Number).at(-1);
  if (pid === undefined) throw new Error('there is no process of the gateway');
  return pid;
}

/** The bars of starts. */
export async function* startBars(): AsyncIterable<Bar> {
  const starts: Start[] = [];
  while (starts.length < STARTS) starts.push(await start());
  const of = (part: keyof Start): number => median(starts.map((each) => each[part]));
  yield {
    name: 'processor time of npm start, to the first answer',
    measured: median(starts.map(({ gateway, build, npm }) => gateway + build + npm)),
    limit: LIMIT_S,
    holds: 'at most',
    unit: 's',
    detail: `the gateway ${of('gateway').toFixed(2)} s, the check of the build ${of('build').toFixed(2)} s, npm ${of('npm').toFixed(2)} s`,
  };
}
