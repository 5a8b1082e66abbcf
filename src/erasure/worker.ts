// Deletes the rows of erased holders: one elected process calls the erasers of all domains, and calls them again when all requests that began
// before the erasure have ended.
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Elections } from '../store/election.js';
import type { ErasedHolder, Erasers } from '../store/erasure-port.js';
import type { Term } from '../store/lease.js';
import { pollDue, ringsFor } from '../store/poll-due.js';
import type { ErasureModels, ErasureRow } from './models.js';

export interface ErasureWorkerParts {
  elections: Elections;
  /** Reports rows that may be due. */
  changes: Pick<ChangeFeed, 'listen'>;
  models: ErasureModels;
  erasers: Erasers;
  box: SealedBox;
  clock(): number;
  onError(error: unknown): void;
}

/**
 * The longest that a request that began before the erasure may run, or that another process may use data that it read
 * before.
 */
export const SETTLING_MS = 10 * 60_000;
/** The pause after a failure, and while rows of an erased holder are still written. */
const RETRY_MS = 5_000;

/** The election whose winner erases holders. */
export function erasureWorker(parts: ErasureWorkerParts): Worker {
  const { changes, elections, models, clock, onError } = parts;
  const bell = new Bell();
  changes.listen([models.erasures.collection.name], ringsFor(bell, { ignores: ['delete'], onlyUpdatesOf: ['state'] }));
  const workOf =
    ({ signal }: Term) =>
    async (): Promise<number | undefined> => {
      let isAgainDue = false;
      for (const row of await dueErasures(parts)) {
        if (signal.aborted) return undefined;
        // A failed erasure does not stop the others.
        const hasAdvanced = await advance(parts, row, signal).catch(onError);
        if (!hasAdvanced) isAgainDue = true;
      }
      return isAgainDue ? clock() + RETRY_MS : nextSettledAt(parts);
    };
  return elections.elect('erasures', (term) => pollDue({ signal: term.signal, bell, clock, work: workOf(term) }));
}

function dueErasures({ models, clock }: ErasureWorkerParts): Promise<ErasureRow[]> {
  const settled = { state: 'settling' as const, settlingAt: { $lte: new Date(clock() - SETTLING_MS) } };
  const due = models.erasures.find({ $or: [{ state: 'erasing' as const }, settled] }).limit(100);
  return due.lean<ErasureRow[]>().exec();
}

/** When the next erasure has settled. */
async function nextSettledAt({ models }: ErasureWorkerParts): Promise<number | undefined> {
  const next = models.erasures.findOne({ state: 'settling' }, { settlingAt: 1 }).sort({ settlingAt: 1 });
  const settlingAt = (await next.lean<Pick<ErasureRow, 'settlingAt'>>())?.settlingAt;
  return settlingAt && settlingAt.getTime() + SETTLING_MS;
}

/**
 * Calls all erasers, then sets the next state. If the process is killed before that, the next elected process calls
 * them again. If one eraser fails, the others still run. Returns whether the next state is set.
 */
async function advance(
  { models, erasers, box, clock }: ErasureWorkerParts,
  row: ErasureRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { _id, state } = row;
  const isLast = state === 'settling';
  const holder = holderOf(row, box);
  if (isLast && (await isWriting(erasers, holder))) return false;
  const failures: unknown[] = [];
  for (const eraser of erasers.all) {
    if (signal.aborted) return false;
    await eraser.erase(holder, signal).catch((error: unknown) => failures.push(error));
  }
  if (signal.aborted) return false;
  if (failures.length > 0) throw failures[0];
  const now = new Date(clock());
  const forgotten = { $unset: { holderId: 1, did: 1, sealedEmail: 1, addresses: 1 } };
  const next = isLast ? { state: 'done', doneAt: now } : { state: 'settling', settlingAt: now };
  await native(models.erasures).updateOne({ _id, state }, { $set: next, ...(isLast ? forgotten : {}) });
  return true;
}

/** Whether something that began in the moment of the erasure will still write rows of the holder. */
async function isWriting({ all }: Erasers, holder: ErasedHolder): Promise<boolean> {
  for (const eraser of all) if (await eraser.isWriting?.(holder)) return true;
  return false;
}

function holderOf(row: ErasureRow, box: SealedBox): ErasedHolder {
  const { _id: erasureId, holderId = '', did = '', sealedEmail = '', addresses = [], createdAt: at, keyName } = row;
  const email = box.unsealText(sealedEmail, { what: 'holder-email', whose: erasureId });
  return { erasureId, holderId, did, email, addresses, at, keyName };
}
