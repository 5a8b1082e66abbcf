// Makes bad luck likely: runs test files again and again beside a load, and lets their processes stand still at random moments.
//   npm run test:stress -- <file> …   (none: every file of npm test, one after the other)
// STRESS_RUNS: how often each file runs (20). STRESS_LOAD: processes that compute beside it (8). STRESS_STOP_MS: the longest stand still (3,000).
// A run fails if vitest does, or if it leaves a process. Its output is printed then.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const RUNS = Number(process.env.STRESS_RUNS ?? 20);
const LOAD = Number(process.env.STRESS_LOAD ?? 8);
const STOP_MS = Number(process.env.STRESS_STOP_MS ?? 3_000);
/** The longest pause between two stand stills. */
const PAUSE_MS = 2_000;
/** How long the last processes of a run have to end. */
const END_MS = 10_000;

const load = [];
let underWay;

/** The running processes: the id of each, with its parent's and its session's. */
function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), session: Number(session) }];
    } catch {
      return [];
    }
  });
}

/** The processes of a session, and those that they have started: browsers have a session of their own. */
function processesOf(session) {
  const all = processes();
  const found = new Set(all.filter((each) => each.session === session).map(({ pid }) => pid));
  // Iterating a set includes what is added meanwhile.
  for (const one of found) for (const { pid, parent } of all) if (parent === one) found.add(pid);
  return [...found];
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Stops one process of the session after the other, each for a random time. */
async function disturb(session, signal) {
  while (!signal.aborted) {
    await delay(Math.random() * PAUSE_MS);
    const pids = processesOf(session);
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined) continue;
    send(pid, 'SIGSTOP');
    await delay(Math.random() * STOP_MS);
    send(pid, 'SIGCONT');
  }
}

/** What the session still has once its processes had time to end: the command lines. */
async function leftOf(session) {
  for (let waited = 0; waited < END_MS && processesOf(session).length > 0; waited += 100) await delay(100);
  const commands = processesOf(session).map((pid) => [pid, commandOf(pid)]);
  for (const [pid] of commands) send(pid, 'SIGKILL');
  return commands.flatMap(([, command]) => command ?? []);
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return undefined;
  }
}

/** Runs a file once. @returns why it failed; undefined if it passed. */
async function failureOf(file) {
  // A session of its own, so that all its processes are found.
  const child = spawn('npx', ['vitest', 'run', file], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  underWay = child.pid;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = new AbortController();
  const disturbance = disturb(child.pid, end.signal);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  end.abort();
  await disturbance;
  const left = await leftOf(child.pid);
  underWay = undefined;
  if (code !== 0) return output;
  return left.length === 0 ? undefined : `It leaves processes:\n${left.join('\n')}`;
}

async function stress(files) {
  for (let at = 0; at < LOAD; at += 1) load.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  let failures = 0;
  for (const file of files) {
    for (let run = 1; run <= RUNS; run += 1) {
      const since = performance.now();
      const failure = await failureOf(file);
      console.log(
        `${failure === undefined ? 'passed' : 'FAILED'} ${file} ${run}/${RUNS} (${Math.round((performance.now() - since) / 1_000)} s)`,
      );
      if (failure === undefined) continue;
      failures += 1;
      console.log(failure);
    }
  }
  console.log(`${files.length * RUNS - failures} passed, ${failures} failed`);
  return failures;
}

function endAll() {
  for (const child of load) child.kill('SIGKILL');
  for (const pid of underWay === undefined ? [] : processesOf(underWay)) send(pid, 'SIGKILL');
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });

const files = process.argv.slice(2);
const all = () =>
  readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts') && !file.startsWith('clients/'))
    .map((file) => `test/${file}`)
    .sort();
const failures = await stress(files.length > 0 ? files : all());
endAll();
process.exit(failures > 0 ? 1 : 0);
