// Transactions of verification: majority writes over a snapshot, retried if two processes insert the same row at once.
import type { ClientSession, Connection } from 'mongoose';
import { ON_DUPLICATE } from '../../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../../base/mongodb/majority.js';

/** Runs work in a transaction. @throws what the work throws. */
export function transact<T>(connection: Connection, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return ON_DUPLICATE.execute(() => connection.transaction(work, SNAPSHOT));
}
