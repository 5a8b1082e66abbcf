// A frozen state of the whole store: an lmdb read transaction and the timestamp of the last write in it.
import type { Transaction } from 'lmdb';
import type { IndexInfo } from './catalog.js';
import type { Tables } from './env.js';
import type { Oplog } from './oplog.js';
import { LatestView } from './view.js';

/** Must be closed: while it is open, lmdb cannot reuse pages. */
export class Snapshot extends LatestView {
  readonly ts: bigint;
  readonly #transaction: Transaction;
  #open = true;

  constructor(tables: Tables, oplog: Oplog) {
    // The cached read transaction may be older than writes that this thread has already acknowledged.
    tables.root.resetReadTxn();
    const transaction = tables.root.useReadTransaction();
    super(tables, transaction);
    this.#transaction = transaction;
    this.ts = oplog.lastTs(transaction);
  }

  override sees(index: IndexInfo): boolean {
    return index.since <= this.ts;
  }

  /** Ends the read transaction; it must not be used afterwards. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#transaction.done();
  }
}
