// Runs a maintenance task in its own process: lmdb trusts the file that it maps, so a damaged one may crash the process that reads it.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { DataFolderError, damaged, type FolderFault } from '../store/folder-error.js';

export type TaskName = 'backup' | 'check' | 'dump' | 'stats';

/** What the process sends back. */
export type TaskReply = { value?: unknown } | { error: { code: FolderFault | undefined; message: string } };

/** The built file, also if this one runs from the sources (tests): a process needs JavaScript. */
function processUrl(): URL {
  const beside = new URL('./process.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../dist/engine/maintenance/process.js', import.meta.url);
}

/** The signals of a process that crashes on a damaged page. */
const CRASHES: readonly unknown[] = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP'];

/** Returns the result of a task on a folder. Throws DataFolderError, also if the folder crashes the process. */
export function inChild(task: TaskName, dataDir: string, ...rest: string[]): Promise<unknown> {
  const child = fork(processUrl(), [task, dataDir, ...rest], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (reply: TaskReply) => {
      child.disconnect();
      if ('error' in reply) reject(errorOf(dataDir, reply.error));
      else resolve(reply.value);
    });
    child.once('exit', (code, signal) => {
      reject(
        CRASHES.includes(signal)
          ? damaged(dataDir, 'its pages lead astray')
          : new Error(`The process that reads ${dataDir} ended with ${signal ?? code}.`),
      );
    });
  });
}

function errorOf(dataDir: string, { code, message }: { code: FolderFault | undefined; message: string }): Error {
  if (code !== undefined) return new DataFolderError(code, message);
  // lmdb's own message for an invalid page.
  return message.startsWith('MDB_') ? damaged(dataDir, message) : new Error(message);
}
