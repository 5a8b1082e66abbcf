// Logical sessions: the last retryable write or transaction of each, in memory and in the store.
import { Binary, Int32, Long } from 'bson';
import { decode } from '../bson/codec.js';
import { type Doc, isDocument, toBigInt } from '../bson/types.js';
import { mongoError } from '../errors.js';
import { checkedBson } from '../store/checksum.js';
import type { Tables } from '../store/env.js';
import type { Txn } from '../store/txn.js';
import type { SessionNote } from '../store/writer.js';

/** Sessions end after this long without use (logicalSessionTimeoutMinutes). */
export const SESSION_MINUTES = 30;
const LIFETIME_MS = SESSION_MINUTES * 60_000;
/** A transaction is aborted after this long (transactionLifetimeLimitSeconds). */
export const TRANSACTION_SECONDS = 60;

/** `write` is a retryable write; the others are states of a transaction. */
export type SessionState = 'none' | 'write' | 'open' | 'committed' | 'aborted';

/** The stored result of a retryable statement; null stands for one plain insert. */
export type StatementResult = Doc | null;

/** One logical session. */
export class Session {
  lastUse = Date.now();
  txnNumber = -1n;
  state: SessionState = 'none';
  txn: Txn | undefined;
  /** When the open transaction is aborted automatically. */
  expiresAt = Number.POSITIVE_INFINITY;
  /** Results of the statements of the retryable write `txnNumber`, by statement id. */
  done = new Map<number, StatementResult>();
  #dirty = false;
  #tail: Promise<void> = Promise.resolve();
  #users = 0;
  #interrupts = 0;
  #stale = false;
  readonly #read: () => Doc | undefined;

  /** `read` returns the session's stored state. */
  constructor(
    readonly key: string,
    readonly lsid: Doc,
    read: () => Doc | undefined,
  ) {
    this.#read = read;
    this.#load();
  }

  /** Runs this session's operations one at a time. Throws Interrupted (11601) if the session ends while an operation waits. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const interrupts = this.#interrupts;
    let release: () => void = () => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    this.#users += 1;
    await before;
    try {
      if (interrupts !== this.#interrupts) throw mongoError('Interrupted', 'operation was interrupted');
      if (this.#stale) this.#load();
      return await work();
    } finally {
      this.#users -= 1;
      release();
    }
  }

  /** Whether an operation runs or waits in `exclusive`. Meanwhile there must be no second object for this session. */
  get busy(): boolean {
    return this.#users > 0;
  }

  /** Fails the waiting operations. */
  interrupt(): void {
    this.#interrupts += 1;
  }

  /**
   * Marks the state in memory as possibly newer than the store's. The next operation reloads it, after the running one
   * has been written or has failed.
   */
  markStale(): void {
    this.#stale = true;
  }

  /** Begins a retryable write; drops the results of older numbers. Throws TransactionTooOld (225). */
  beginWrite(txnNumber: bigint): void {
    this.requireNewEnough(txnNumber);
    if (txnNumber === this.txnNumber && this.state === 'write') return;
    if (txnNumber === this.txnNumber) {
      throw mongoError('IncompleteTransactionHistory', `Transaction ${txnNumber} was a multi-document transaction`);
    }
    this.startNumber(txnNumber, 'write');
  }

  /** Throws TransactionTooOld when the session has seen a later number. */
  requireNewEnough(txnNumber: bigint): void {
    if (txnNumber >= this.txnNumber) return;
    throw mongoError(
      'TransactionTooOld',
      `Retryable write with txnNumber ${txnNumber} is prohibited on session ${this.key} because a newer retryable write with txnNumber ${this.txnNumber} has already started on this session.`,
    );
  }

  /** Starts a new transaction number; an open transaction is aborted. */
  startNumber(txnNumber: bigint, state: SessionState): void {
    this.abort();
    this.txnNumber = txnNumber;
    this.state = state;
    this.done.clear();
    this.#dirty = true;
  }

  /** Remembers a statement's result; stored with the slice that wrote it. */
  remember(statement: number, result: StatementResult): void {
    this.done.set(statement, result);
    this.#dirty = true;
  }

  /** Marks the transaction's end; stored by the next note. */
  finish(state: 'committed' | 'aborted'): void {
    this.state = state;
    this.txn = undefined;
    this.expiresAt = Number.POSITIVE_INFINITY;
    this.#dirty = true;
  }

  /** Aborts the open transaction, if there is one. */
  abort(): void {
    this.txn?.close();
    if (this.state === 'open') this.finish('aborted');
  }

  /** The state to store with the current write, if it has changed. */
  note(): SessionNote | undefined {
    if (!this.#dirty || this.state === 'open') return undefined;
    this.#dirty = false;
    return { key: Buffer.from(this.key, 'hex'), doc: this.#stored() };
  }

  #stored(): Doc {
    const statements: Doc[] = [];
    for (const [id, result] of [...this.done].sort((a, b) => a[0] - b[0])) {
      const last = statements.at(-1);
      if (result === null && last?.r === undefined && last && Number(last.e) === id - 1) last.e = new Int32(id);
      else statements.push({ s: new Int32(id), e: new Int32(id), ...(result === null ? {} : { r: result }) });
    }
    const at = new Date();
    return { lsid: this.lsid, txnNumber: Long.fromBigInt(this.txnNumber), state: this.state, statements, at };
  }

  /** Replaces the state in memory with the stored one. */
  #load(): void {
    const stored = this.#read() ?? {};
    this.#stale = false;
    this.#dirty = false;
    this.done.clear();
    this.txnNumber = stored.txnNumber instanceof Long ? toBigInt(stored.txnNumber) : -1n;
    const { state } = stored;
    this.state = state === 'write' || state === 'committed' || state === 'aborted' ? state : 'none';
    for (const each of Array.isArray(stored.statements) ? stored.statements.filter(isDocument) : []) {
      for (let id = Number(each.s); id <= Number(each.e); id++) this.done.set(id, isDocument(each.r) ? each.r : null);
    }
  }
}

/** All sessions by id. */
export class LogicalSessions {
  readonly #byKey = new Map<string, Session>();
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The session of an lsid ({id: UUID}); the first call creates it or restores it from the store. Throws on a malformed id. */
  get(lsid: Doc): Session {
    const { id } = lsid;
    if (!(id instanceof Binary) || id.sub_type !== Binary.SUBTYPE_UUID || id.length() !== 16) {
      throw mongoError('BadValue', 'lsid.id must be a UUID');
    }
    const key = Buffer.from(id.buffer).subarray(0, 16).toString('hex');
    const session = this.#byKey.get(key) ?? this.#revive(key, { id });
    session.lastUse = Date.now();
    return session;
  }

  #revive(key: string, lsid: Doc): Session {
    const session = new Session(key, lsid, () => {
      const stored = this.#tables.sessions.get(Buffer.from(key, 'hex'));
      return stored && decode(checkedBson(stored));
    });
    this.#byKey.set(key, session);
    return session;
  }

  /** Every session in memory. */
  all(): Session[] {
    return [...this.#byKey.values()];
  }

  /**
   * Ends a session now: its transaction is aborted, and waiting operations fail. A busy session stays in memory, so
   * that a retry waits for the first attempt.
   */
  end(session: Session): void {
    session.abort();
    session.interrupt();
    this.#dropIdle(session);
  }

  /** Aborts every transaction, and drops state that may not have been stored. */
  forgetUnstored(): void {
    for (const session of this.all()) {
      session.abort();
      session.markStale();
      this.#dropIdle(session);
    }
  }

  #dropIdle(session: Session): void {
    if (!session.busy) this.#byKey.delete(session.key);
  }

  /**
   * Reads up to `most` stored sessions after a key. `unused`: the expired ones; `last`: the key after which the next
   * call continues, undefined at the end.
   */
  storedUnused(most: number, after?: Buffer, now = Date.now()): { unused: Buffer[]; last: Buffer | undefined } {
    const range = { limit: most, ...(after ? { start: after, exclusiveStart: true } : {}) };
    const rows = [...this.#tables.sessions.getRange(range)];
    const unused = rows.filter(({ key, value }) => this.#isUnused(key, value, now)).map(({ key }) => key);
    return { unused, last: rows.length === most ? rows.at(-1)?.key : undefined };
  }

  /** Removes sessions from the store, except those that have been used again. Must run inside a write. */
  removeUnused(keys: Buffer[], now = Date.now()): void {
    const { sessions } = this.#tables;
    for (const key of keys) if (this.#isUnused(key, sessions.get(key), now)) sessions.removeSync(key);
  }

  #isUnused(key: Buffer, stored: Buffer | undefined, now: number): boolean {
    if (stored === undefined || this.#byKey.has(key.toString('hex'))) return false;
    const { at } = decode(checkedBson(stored));
    return at instanceof Date && now - at.getTime() >= LIFETIME_MS;
  }

  /** The open transactions. Few sessions have one. */
  openTransactions(): Txn[] {
    const open: Txn[] = [];
    for (const { txn } of this.#byKey.values()) if (txn) open.push(txn);
    return open;
  }

  /** Aborts expired transactions and drops unused sessions. Returns the keys of dropped sessions. */
  expire(now = Date.now()): string[] {
    const expired: string[] = [];
    for (const session of this.all()) {
      if (session.expiresAt <= now) session.abort();
      if (session.busy || now - session.lastUse < LIFETIME_MS) continue;
      this.end(session);
      expired.push(session.key);
    }
    return expired;
  }
}
