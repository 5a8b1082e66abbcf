// Write locks: a transaction locks the documents that it writes until it ends; the first writer wins.
import { type MongoError, mongoError } from '../errors.js';

/** An owner of locks; `ended` resolves at commit or abort. */
export interface LockOwner {
  readonly ended: Promise<void>;
}

/**
 * Thrown (and yielded) if a plain write needs a document that a transaction has locked. The write waits, then is tried
 * again.
 */
export class LockWait {
  constructor(readonly until: Promise<void>) {}
}

/** Above this number of recorded writes, those that can no longer conflict are dropped. */
const FORGET_AT = 20_000;

/** The error of the second writer, thrown at once (WriteConflict 112, TransientTransactionError). */
export function writeConflict(): MongoError {
  return mongoError(
    'WriteConflict',
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    { labels: ['TransientTransactionError'] },
  );
}

/** Locks by name: a document (`d…`), a unique key (`u…`) or a namespace (`n…`). */
export class LockTable {
  readonly #holders = new Map<string, LockOwner>();
  readonly #recent = new Map<string, bigint>();
  #forgetAt = FORGET_AT;

  /**
   * Acquires a lock for a transaction. Throws WriteConflict if another transaction has it, or if a write after the
   * snapshot is recorded under this name.
   */
  acquire(name: string, owner: LockOwner, snapshotTs: bigint): void {
    const holder = this.#holders.get(name);
    if (holder === owner) return;
    if (holder !== undefined || (this.#recent.get(name) ?? 0n) > snapshotTs) throw writeConflict();
    this.#holders.set(name, owner);
  }

  /** For a plain write: throws LockWait while a transaction holds the lock. */
  requireFree(name: string): void {
    if (this.#holders.size === 0) return;
    const holder = this.#holders.get(name);
    if (holder !== undefined) throw new LockWait(holder.ended);
  }

  /** Records a committed write, so that snapshots older than it conflict. */
  note(name: string, ts: bigint): void {
    this.#recent.set(name, ts);
  }

  /** Releases everything. */
  release(names: Iterable<string>): void {
    for (const name of names) this.#holders.delete(name);
  }

  /**
   * Drops writes that can no longer conflict: those that are not newer than `oldest`. `oldest` is the oldest open
   * snapshot, or the last committed timestamp.
   */
  forget(oldest: bigint): void {
    if (this.#recent.size < this.#forgetAt) return;
    for (const [name, ts] of this.#recent) if (ts <= oldest) this.#recent.delete(name);
    this.#forgetAt = Math.max(FORGET_AT, this.#recent.size * 2);
  }
}

/** Lock name of a document. */
export function documentLock(collectionId: number, rid: number): string {
  return `d${collectionId}/${rid}`;
}

/** Lock name of a unique key. */
export function uniqueLock(key: Buffer): string {
  return `u${key.toString('latin1')}`;
}

/** Lock name of a namespace. */
export function namespaceLock(ns: string): string {
  return `n${ns}`;
}
