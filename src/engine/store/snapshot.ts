// A frozen state of the whole store: an lmdb read transaction and the timestamp of the last write in it.
import type { Transaction } from 'lmdb';
import { mongoError } from '../errors.js';
import type { IndexInfo } from './catalog.js';
import type { ReadOptions, Tables } from './env.js';
import type { Oplog } from './oplog.js';
import { LatestView } from './view.js';

/** A read transaction until it ends. After that, getting it throws: lmdb would read the newest state instead. */
class SnapshotRead implements ReadOptions {
  #transaction: Transaction | undefined;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  get transaction(): Transaction {
    if (this.#transaction) return this.#transaction;
    throw mongoError('SnapshotTooOld', 'The snapshot of this operation has ended.', {
      labels: ['TransientTransactionError'],
    });
  }

  end(): void {
    this.#transaction?.done();
    this.#transaction = undefined;
  }
}

/** A snapshot. It must be closed: while it is open, lmdb cannot reuse pages. */
export class Snapshot extends LatestView {
  readonly ts: bigint;
  readonly #read: SnapshotRead;

  constructor(tables: Tables, oplog: Oplog) {
    // The cached read transaction may be older than writes that this thread has already acknowledged.
    tables.root.resetReadTxn();
    const read = new SnapshotRead(tables.root.useReadTransaction());
    super(tables, read);
    this.#read = read;
    this.ts = oplog.lastTs(read);
  }

  override sees(index: IndexInfo): boolean {
    return index.since <= this.ts;
  }

  /** Throws SnapshotTooOld (239) if it is closed, as every read does. */
  requireOpen(): void {
    void this.#read.transaction;
  }

  /** Ends the read transaction. */
  close(): void {
    this.#read.end();
  }
}
