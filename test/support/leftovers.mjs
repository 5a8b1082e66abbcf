// Ends with a test run: its input closes when the run has ended, however it did. Then it kills the processes that the run has left, and removes the
// run's folder: node test/support/leftovers.mjs <folder>. A run that was not interrupted writes "done" before; what its tests have left is printed then.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
/** How long processes that are ending have before they count as left. */
const END_MS = 5_000;
/** How often it looks again for processes that others started before they were killed. */
const LOOKS = 5;

function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** The processes whose environment or arguments name the run's folder: TMPDIR, a data folder, the profile of a browser. */
function processesOfRun(isDone) {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const command = read(`/proc/${name}/cmdline`);
    if (!`${command}\0${read(`/proc/${name}/environ`)}`.includes(folder)) return [];
    // Of a run that is not interrupted, vitest ends its own workers afterwards.
    if (isDone && command.includes('/vitest/dist/')) return [];
    return [{ pid: Number(name), command: command.replaceAll('\0', ' ').slice(0, 300) }];
  });
}

function kill({ pid }) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

const isDone = (await text(process.stdin)).includes('done');
const left = [];
if (readdirSync('/').includes('proc')) {
  for (let waited = 0; isDone && waited < END_MS && processesOfRun(isDone).length > 0; waited += 100) await delay(100);
  for (let look = 0; look < LOOKS; look += 1) {
    const found = processesOfRun(isDone);
    left.push(...found);
    for (const each of found) kill(each);
    if (found.length > 0) await delay(100);
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
if (isDone && left.length > 0)
  console.error(`The tests have left processes, killed now:\n${left.map(({ command }) => command).join('\n')}`);
