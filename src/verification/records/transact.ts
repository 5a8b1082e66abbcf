// Transactions of verification: majority writes over a snapshot, retried if two processes insert the same row at once.
import type { ClientSession, Connection } from 'mongoose';
import { isDuplicateKey } from '../../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../../base/mongodb/majority.js';

const MAX_ATTEMPTS = 5;

/** Runs work in a transaction. @throws what the work throws. */
export async function transact<T>(connection: Connection, work: (session: ClientSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.transaction(work, SNAPSHOT);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isDuplicateKey(error)) throw error;
    }
  }
}
