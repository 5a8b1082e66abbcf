// The process that runs a maintenance task on a data folder: a damaged file may crash it, but not its parent. Its
// arguments are the task's name and arguments.
import { DataFolderError } from '../store/folder-error.js';
import { backupFolder } from './backup.js';
import { checkFolder } from './check.js';
import type { TaskName, TaskReply } from './child.js';
import { dumpFolder } from './dump.js';
import { statsOfFolder } from './stats.js';

const TASKS: Readonly<Record<TaskName, (...args: string[]) => Promise<unknown>>> = {
  backup: (dataDir = '', out = '') => backupFolder(dataDir, out),
  check: (dataDir = '') => checkFolder(dataDir),
  dump: (dataDir = '', out = '') => dumpFolder(dataDir, out),
  stats: (dataDir = '') => statsOfFolder(dataDir),
};

async function run([name, ...args]: string[]): Promise<TaskReply> {
  try {
    return { value: await TASKS[name as TaskName](...args) };
  } catch (error) {
    const code = error instanceof DataFolderError ? error.code : undefined;
    return { error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

// The parent disconnects after the reply, or when it exits.
process.once('disconnect', () => process.exit());
void run(process.argv.slice(2)).then((reply) => process.send?.(reply));
