// Folds the counters that unfinished imports left. One elected process does it.
import { Bell } from '../../base/concurrency/bell.js';
import type { Worker } from '../../base/concurrency/worker.js';
import type { ChangeFeed } from '../../store/change-feed.js';
import type { Elections } from '../../store/election.js';
import { pollDue, ringsFor } from '../../store/poll-due.js';
import type { CounterJournal } from './counter-journal.js';

/**
 * A note of this age, in milliseconds, is from an import that has stopped: running imports fold theirs every minute.
 */
const LEFT_MS = 120_000;

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
    const oldest = await counters.oldest();
    if (oldest === undefined) return undefined;
    if (oldest + LEFT_MS > clock()) return oldest + LEFT_MS;
    await counters.fold();
    return clock();
  };
  return elections.elect('counters', ({ signal }) => pollDue({ signal, bell, clock, work }));
}
