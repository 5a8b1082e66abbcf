// Mirrors the configured networks regularly, in one elected process. The interval also counts from runs that were
// started by hand.
import { internalOperator } from '../../base/callers/caller.js';
import { toDomainError } from '../../base/errors.js';
import type { ProblemReport } from '../../base/monitoring/problems.js';
import { pause, type Term } from '../../store/lease.js';
import type { Mirrors } from './mirror.js';

/** The actor of scheduled runs in the audit log. */
const MIRROR = internalOperator('mirror');

export interface ScheduleOptions {
  mirrors: Mirrors;
  /** Base addresses. */
  sources: readonly string[];
  /** From the end of a run to the beginning of the next, milliseconds. */
  intervalMs: number;
  problems: ProblemReport;
  clock(): number;
  onError(error: unknown): void;
}

/** A run that stopped is continued sooner. Milliseconds. */
const RETRY_MS = 60_000;

/**
 * The work of one term of the election; it ends with the term. Each source is read separately: a slow one delays no
 * other.
 */
export async function mirrorAlways({ signal }: Term, options: ScheduleOptions): Promise<void> {
  await Promise.all(options.sources.map((source) => mirrorAgainAndAgain(source, signal, options)));
}

async function mirrorAgainAndAgain(source: string, signal: AbortSignal, options: ScheduleOptions): Promise<void> {
  while (!signal.aborted) await pause(await mirrorWhenDue(source, signal, options), signal);
}

/** Starts a run of a source if it is due. Returns the milliseconds until it is due next. */
async function mirrorWhenDue(from: string, signal: AbortSignal, options: ScheduleOptions): Promise<number> {
  const { mirrors, intervalMs, clock } = options;
  const source = mirrors.baseOf(from);
  const row = (await mirrors.list(MIRROR)).find(({ _id }) => _id === source);
  const delay = row?.state === 'done' ? intervalMs : Math.min(RETRY_MS, intervalMs);
  const wait = row?.finishedAt ? row.finishedAt.getTime() + delay - clock() : 0;
  // A clock that was set back must not stop the mirror.
  if (wait > 0) return Math.min(wait, intervalMs);
  return (await isDone(source, signal, options)) ? intervalMs : Math.min(RETRY_MS, intervalMs);
}

async function isDone(from: string, signal: AbortSignal, options: ScheduleOptions): Promise<boolean> {
  let isComplete = false;
  let cause: unknown;
  try {
    for await (const report of options.mirrors.run(MIRROR, { from }, signal)) isComplete = report.result === 'done';
  } catch (thrown) {
    // Another process is running it.
    if (toDomainError(thrown).code === 'CONFLICT') return false;
    cause = thrown;
  }
  if (isComplete) options.problems.clear('mirror-stopped', from);
  else if (!signal.aborted) options.problems.raise('mirror-stopped', { of: from, cause });
  return isComplete;
}
