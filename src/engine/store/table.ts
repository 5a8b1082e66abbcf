// One lmdb database, as the store uses it.
import type { Database, Transaction } from 'lmdb';

/** One keyed database of raw bytes. */
export type Table = Database<Buffer, Buffer> & {
  /** The value in lmdb's own buffer, which the next read overwrites; only its `length` is that of the value. */
  getBinaryFast(key: Buffer, options?: { transaction: Transaction }): Buffer | undefined;
};

/** The read transaction to use; the getter throws if it has ended. */
export interface ReadOptions {
  readonly transaction: Transaction;
}
