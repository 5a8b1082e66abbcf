// Folds the counters of imports that ended before they did: one elected process.
import { Bell } from '../../base/concurrency/bell.js';
import type { Worker } from '../../base/concurrency/worker.js';
import type { ChangeFeed } from '../../store/change-feed.js';
import type { Elections } from '../../store/election.js';
import { pollDue, ringsFor } from '../../store/poll-due.js';
import type { CounterJournal } from './counter-journal.js';

/** The age of a note that no import folds any more, milliseconds: imports that run do it every minute. */
const LEFT_MS = 120_000;

export interface CounterFolderParts {
  counters: CounterJournal;
  /** Name of the collection of notes. */
  collection: string;
  changes: Pick<ChangeFeed, 'listen'>;
  elections: Elections;
  clock(): number;
}

/** The election whose winner folds what killed imports left. */
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
