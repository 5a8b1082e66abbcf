// Work that becomes due: rows are read when the change feed reports one that may be due, and at the next due time; never at an interval.
import type { Model } from 'mongoose';
import type { Bell } from '../base/concurrency/bell.js';
import type { ChangeListener } from './change-feed.js';
import { pause } from './lease.js';

/** Shortest time between two reads, so that many rows that are written together need one. Milliseconds. */
const GAP_MS = 1_000;
/** How often the clock is compared with the next due time, because a wall clock may jump. Costs no command. */
const CLOCK_MS = 1_000;
/** Longest time between two reads, in case the change feed reports nothing. */
const LONGEST_MS = 600_000;
/** Later than any date. A filter with this bound selects the rows with a date, and uses their index. */
const FAR = new Date(8_640_000_000_000_000);

export interface DueWork {
  signal: AbortSignal;
  /** Rings when a row may be due; see `ringsFor`. */
  bell: Bell;
  /** The clock of due times, milliseconds since the epoch. */
  clock(): number;
  /** Shortest time between two reads, milliseconds. */
  gapMs?: number;
  /** Does the work that is due. Returns the next due time, by `clock`; undefined: there is none until the bell rings. */
  work(): Promise<number | undefined>;
}

/** Works until the signal aborts. Due work is done within the gap. @throws what the work throws. */
export async function pollDue({ signal, bell, clock, gapMs = GAP_MS, work }: DueWork): Promise<void> {
  while (!signal.aborted) {
    const since = clock();
    const dueAt = await work();
    await pause(gapMs, signal);
    await untilDue(dueAt, { signal, bell, clock, since });
  }
}

/**
 * Resolves when the bell rings, at the due time, when the clock is set back, or when the signal aborts.
 * @param since of the options: the time by the clock before the due time was read or computed.
 */
export async function untilDue(
  dueAt: number | undefined,
  { signal, bell, clock, since }: Pick<DueWork, 'signal' | 'bell' | 'clock'> & { since: number },
): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  let seen = since;
  for (;;) {
    const now = clock();
    const leftMs = Math.min(end - performance.now(), dueAt === undefined ? LONGEST_MS : dueAt - now);
    if (leftMs <= 0 || signal.aborted) return;
    // The clock was set back. Times that were computed with it, such as that of a retry, are now too far in the future.
    if (now < seen) return;
    seen = now;
    if (await bell.rungWithin(dueAt === undefined ? leftMs : Math.min(leftMs, CLOCK_MS), signal)) return;
  }
}

/** A listener of the change feed that rings the bell for the chosen changes, and when changes may have been missed. */
export function ringsFor(bell: Bell, choice: Pick<ChangeListener, 'ignores' | 'onlyUpdatesOf'>): ChangeListener {
  const ring = (): void => bell.ring();
  return { ...choice, changed: ring, interrupted: ring };
}

/** The earliest date of a field with an index of its own; undefined: no row has one. */
// biome-ignore lint/suspicious/noExplicitAny: models of different rows; the field is named beside them.
export async function earliest(model: Model<any>, field: string): Promise<number | undefined> {
  const first = model.findOne({ [field]: { $lte: FAR } }, { [field]: 1 }).sort({ [field]: 1 });
  return (await first.lean<Record<string, Date>>())?.[field]?.getTime();
}
