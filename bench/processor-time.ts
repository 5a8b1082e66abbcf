// Processor time of processes, from Linux's proc(5).
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** The text of a file in /proc; undefined when the process or thread has ended. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** proc(5), stat: the fields after the process's name; undefined when the process has ended. */
function statOf(pid: number | string): string[] | undefined {
  const stat = textOf(`${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const sum = (figures: readonly string[]): number => figures.reduce((total, figure) => total + Number(figure), 0);

/** Nanoseconds that the running threads of a process have used, by the scheduler (task/<thread>/schedstat). */
function threadNanoseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((total, thread) => {
    const [used = '0'] = textOf(`${pid}/task/${thread}/schedstat`)?.split(' ') ?? [];
    return total + Number(used);
  }, 0);
}

/**
 * Seconds that a process has used, with all of its threads: in user mode and in the kernel. /proc/<pid>/stat counts hundredths,
 * of threads that have ended, too; the scheduler counts nanoseconds of those that run. The larger one misses less.
 */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  if (fields === undefined) throw new Error(`there is no process ${pid}`);
  return Math.max(sum(fields.slice(11, 13)) / TICKS_PER_SECOND, threadNanoseconds(pid) / 1e9);
}

/** The same of a process, of its children, and of those of its children that have ended. */
export function cpuSecondsWithChildren(pid: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.filter((name) => statOf(name)?.[1] === String(pid)).map(Number);
  const ended = sum((statOf(pid) ?? []).slice(13, 15)) / TICKS_PER_SECOND;
  const running = [pid, ...children].filter((each) => textOf(`${each}/stat`) !== undefined);
  return running.reduce((total, each) => total + cpuSeconds(each), ended);
}

/** Seconds that this process uses for some work, with all of its threads. */
export async function ownCpu(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
