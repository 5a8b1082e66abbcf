// Processor time of processes, from Linux's proc(5).
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** proc(5), stat: the fields after the process's name; undefined when the process has ended. */
function statOf(pid: number | string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

const sum = (fields: readonly string[]): number => fields.reduce((total, field) => total + Number(field), 0);

/** Seconds that a process has used, with all of its threads: in user mode and in the kernel. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  if (fields === undefined) throw new Error(`there is no process ${pid}`);
  return sum(fields.slice(11, 13)) / TICKS_PER_SECOND;
}

/** The same of a process, of its children, and of those of its children that have ended. */
export function cpuSecondsWithChildren(pid: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.map(statOf).filter((fields) => fields?.[1] === String(pid));
  const own = sum((statOf(pid) ?? []).slice(11, 15));
  return children.reduce((total, fields) => total + sum(fields?.slice(11, 13) ?? []), own) / TICKS_PER_SECOND;
}

/** Seconds that this process uses for some work, with all of its threads. */
export async function ownCpu(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
