// Open cursors by id; they fill one batch at a time in memory.
import { randomBytes } from 'node:crypto';
import { Long } from 'bson';
import { mongoError } from '../errors.js';
import type { Session } from './sessions.js';

/** Idle cursors end after this long. */
export const CURSOR_MINUTES = 10;
/** A batch stays under this many bytes. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024 - 64 * 1024;

/** The source of a cursor: chunks of encoded documents; an empty chunk means "nothing yet", null the end. */
export interface BatchSource {
  next(): Promise<Buffer[] | null>;
  close(): void;
}

/** The additions of a change stream: waiting for new events, and further fields of the reply. */
export interface Tail {
  wait(ms: number, end: AbortSignal): Promise<void>;
  /** `last` is the batch's last document if the rest of its chunk is not returned yet, else undefined. */
  extra(last: Buffer | undefined): Record<string, unknown>;
}

/** One filled batch. */
export interface CursorBatch {
  docs: Buffer[];
  ended: boolean;
  /** Further fields of the reply's cursor. */
  extra: Record<string, unknown>;
}

/** A cursor on the server. */
export class Cursor {
  readonly ns: string;
  #id: Long | undefined;
  lastUse = Date.now();
  busy = false;
  session: Session | undefined;
  /** Set if the cursor was opened in a transaction: it ends with the transaction. */
  txnNumber: bigint | undefined;
  noTimeout = false;
  tail: Tail | undefined;
  /** Ends a wait; most cursors never wait. */
  #end: AbortController | undefined;
  readonly #source: BatchSource;
  #remaining: Buffer[] = [];
  #ended = false;
  #closed = false;

  constructor(ns: string, source: BatchSource) {
    this.ns = ns;
    this.#source = source;
  }

  /** Created on demand: most cursors end with their first batch. */
  get id(): Long {
    this.#id ??= newId();
    return this.#id;
  }

  /** Fills a batch of up to `size` documents and 16 MB; a tailable cursor waits up to `waitMs` for its first document. */
  async fill(size: number, waitMs = 0): Promise<CursorBatch> {
    const docs: Buffer[] = [];
    const until = Date.now() + waitMs;
    let bytes = 0;
    while (docs.length < size) {
      const remaining = this.#remaining.length > 0 ? this.#remaining : await this.#source.next();
      this.#remaining = [];
      if (remaining === null) {
        this.#ended = true;
        break;
      }
      const batch = take(remaining, size - docs.length, MAX_BATCH_BYTES - bytes, docs.length === 0);
      for (const doc of batch.docs) docs.push(doc);
      bytes += batch.bytes;
      this.#remaining = remaining.slice(batch.docs.length);
      if (this.#remaining.length > 0 && docs.length > 0) break;
      if (remaining.length === 0 && this.tail && (docs.length > 0 || !(await this.#wait(this.tail, until)))) break;
    }
    const extra = this.tail?.extra(this.#remaining.length > 0 ? docs.at(-1) : undefined) ?? {};
    return { docs, ended: this.#ended && this.#remaining.length === 0, extra };
  }

  async #wait(tail: Tail, until: number): Promise<boolean> {
    const ms = until - Date.now();
    if (ms <= 0) return false;
    this.#end ??= new AbortController();
    await tail.wait(ms, this.#end.signal);
    if (this.#closed) throw mongoError(237, 'cursor killed');
    return true;
  }

  /** Releases what the cursor holds, and ends a wait. */
  close(): void {
    this.#closed = true;
    this.#end?.abort();
    this.#source.close();
  }
}

function take(docs: Buffer[], most: number, room: number, first: boolean): { docs: Buffer[]; bytes: number } {
  let bytes = 0;
  let count = 0;
  for (const doc of docs) {
    if (count >= most || (bytes + doc.length > room && !(first && count === 0))) break;
    bytes += doc.length;
    count += 1;
  }
  return { docs: docs.slice(0, count), bytes };
}

function newId(): Long {
  return Long.fromBigInt(randomBytes(8).readBigInt64BE(0) & 0x7fffffffffffffffn);
}

/** All open cursors. */
export class Cursors {
  readonly #open = new Map<string, Cursor>();

  /** Stores a cursor for getMore. */
  keep(cursor: Cursor): void {
    this.#open.set(cursor.id.toString(), cursor);
  }

  /** The cursor with that id. Throws CursorNotFound (43). */
  get(id: Long): Cursor {
    const cursor = this.#open.get(id.toString());
    if (!cursor) throw mongoError('CursorNotFound', `cursor id ${id.toString()} not found`);
    cursor.lastUse = Date.now();
    return cursor;
  }

  /** Ends a cursor; false if there is none. */
  kill(id: Long): boolean {
    const cursor = this.#open.get(id.toString());
    cursor?.close();
    return this.#open.delete(id.toString());
  }

  /** Ends every cursor that passes the test. */
  killWhere(test: (cursor: Cursor) => boolean): void {
    for (const cursor of [...this.#open.values()]) if (test(cursor)) this.kill(cursor.id);
  }

  /** Ends cursors that have been idle for ten minutes. */
  expire(now = Date.now()): void {
    this.killWhere((cursor) => !cursor.noTimeout && !cursor.busy && now - cursor.lastUse > CURSOR_MINUTES * 60_000);
  }

  /** The number of open cursors. */
  get size(): number {
    return this.#open.size;
  }
}
