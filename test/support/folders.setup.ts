// Keeps the data folders of a run in memory, where there is room: a write that is acknowledged takes seven milliseconds on a disk, and none there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, which Linux has; in a container it may have 64 MB. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/**
 * The global setup for vitest; returns its tear-down. Every folder that a test creates is inside the run's folder. It and
 * the run's processes are gone after the run, also after one that was interrupted or killed: a process of its own waits for
 * its end. With TMPDIR set, the folder is there.
 */
export function setup(): () => Promise<void> {
  const isInMemory = process.env.TMPDIR === undefined && freeBytesOf(MEMORY) >= ENOUGH_BYTES;
  const folder = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), 'tests-'));
  // Some tests start a process as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Ctrl-C in a terminal does not reach it.
  const waiting = spawn(process.execPath, ['test/support/leftovers.mjs', folder], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  waiting.unref();
  return async () => {
    waiting.ref();
    waiting.stdin.end('done');
    await once(waiting, 'exit');
  };
}
