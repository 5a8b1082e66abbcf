// Who runs where: the server that is measured has a core of its own; load, store and everything else share the other one.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Whether processes can be pinned: Linux's taskset, and a core for each side. */
export const canPin = (): boolean => {
  if (cpus().length < 2) return false;
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** The command line that runs a program of ours on one core (taskset becomes the program: its pid is the program's). */
export function commandOn(core: number, args: readonly string[]): [string, string[]] {
  if (!canPin()) return [process.execPath, [...args]];
  return ['taskset', ['-c', String(core), process.execPath, ...args]];
}

/** Moves this process, all of its threads, to one core. */
export function moveTo(core: number): void {
  if (canPin()) execFileSync('taskset', ['-acp', String(core), String(process.pid)], { stdio: 'ignore' });
}
