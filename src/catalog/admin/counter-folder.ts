// Folds the counters that unfinished imports left, and those of single writes beside imports. One elected process does it.
import { Bell } from '../../base/concurrency/bell.js';
import type { Worker } from '../../base/concurrency/worker.js';
import type { ChangeFeed } from '../../store/change-feed.js';
import type { Elections } from '../../store/election.js';
import { pollDue, ringsFor } from '../../store/poll-due.js';
import { type CounterJournal, LEFT_MS } from './counter-journal.js';

/** The oldest note is never older, milliseconds. */
const MOST_MS = 600_000;

/** When notes of these times, milliseconds since the epoch, are those of an import that has stopped. */
export function leftAt({ oldest, newest }: { oldest: number; newest: number }): number {
  return Math.min(newest + LEFT_MS, oldest + MOST_MS);
}

export interface CounterFolderParts {
  counters: CounterJournal;
  /** Name of the collection of notes. */
  collection: string;
  changes: Pick<ChangeFeed, 'listen'>;
  elections: Elections;
  clock(): number;
}

/** The election whose winner folds the notes of killed imports. */
export function counterFolder({ counters, collection, changes, elections, clock }: CounterFolderParts): Worker {
  const bell = new Bell();
  changes.listen([collection], ringsFor(bell, { ignores: ['update', 'delete'] }));
  const work = async (): Promise<number | undefined> => {
    const times = await counters.times();
    if (times === undefined) return undefined;
    const dueAt = leftAt(times);
    if (dueAt > clock()) return dueAt;
    await counters.fold();
    return clock();
  };
  return elections.elect('counters', ({ signal }) => pollDue({ signal, bell, clock, work }));
}
