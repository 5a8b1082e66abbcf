// Reads whose rows fit into one reply, as plain commands: the driver's cursor costs as much processor time as the rest of a small read. The
// store gets the same commands, and unusual replies are read again with the driver's cursor.
import { Long } from 'bson';
import type { Db, Document, Sort } from 'mongodb';
import mongoose, { type Collection, type Connection, type Model, type PipelineStage } from 'mongoose';
import { CACHED_READ } from '../base/mongodb/cached-read.js';
import { isInterruptedRead } from '../base/errors.js';
import { limitOf } from './command-limits.js';
import { isConnected } from './connection.js';
import { decodeRow, decodeRows } from './stored-rows.js';

/** The options of a find: at most `limit` rows after `skip`, in this order, with these fields. */
export interface RowsToFind {
  filter: Document;
  projection: Readonly<Record<string, 1>>;
  sort?: Readonly<Record<string, 1 | -1>>;
  skip?: number;
  limit: number;
}

/** The reply to a command that opens a cursor. */
interface CursorReply {
  id: number | Long;
  firstBatch: object[];
}

/** The server's code for a command that took longer than its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

/** One more than the limit, so that the server closes the cursor after the first batch. */
const batchOf = (limit: number): number => limit + 1;

/** The rows of a find. One command. @throws the driver's error. */
export function findRows<R extends object>(collection: Collection, rows: RowsToFind): Promise<R[]> {
  const { filter, projection, sort = {}, skip = 0, limit } = rows;
  const options = { projection, sort: sort as Sort, skip, limit, batchSize: batchOf(limit) };
  const command = { find: collection.name, filter, ...options };
  return readRows(collection, command, () =>
    collection.find(filter, { ...options, ...CACHED_READ, raw: true }).toArray(),
  );
}

/** The row that a filter selects, with all of its fields, or null. One command. @throws the driver's error. */
export async function findRow<R extends object>({ collection }: Model<R>, filter: Document): Promise<R | null> {
  const [row] = await findRows<R>(collection, { filter, projection: {}, limit: 1 });
  return row ?? null;
}

/** The rows of an aggregation that returns at most `limit`. One command. @throws the driver's error. */
export function aggregateRows<R extends object>(
  collection: Collection,
  pipeline: PipelineStage[],
  limit: number,
): Promise<R[]> {
  const batchSize = batchOf(limit);
  const command = { aggregate: collection.name, pipeline, cursor: { batchSize } };
  return readRows(collection, command, () =>
    collection.aggregate(pipeline, { batchSize, ...CACHED_READ, raw: true }).toArray(),
  );
}

async function readRows<R extends object>(
  { conn, name }: Collection,
  command: Document,
  byCursor: () => Promise<unknown[]>,
): Promise<R[]> {
  const { db } = conn;
  // The driver's cursor waits until the store is available.
  if (db === undefined || !isConnected(conn)) return rowsOf(byCursor);
  try {
    const { id, firstBatch } = await firstReply(conn, db, command);
    if (id === 0) return firstBatch as R[];
    // The rows exceed 16 MB, so the cursor is still open.
    db.command({ killCursors: name, cursors: [Long.fromValue(id)] }).catch(() => {});
  } catch (error) {
    if (!isRetried(error)) throw error;
  }
  return rowsOf(byCursor);
}

/** A cursor that was interrupted by a failover is opened once more: the driver retries only its first command. */
async function rowsOf<R extends object>(byCursor: () => Promise<unknown[]>): Promise<R[]> {
  const raw = await byCursor().catch((error: unknown) => {
    if (isInterruptedRead(error)) return byCursor();
    throw error;
  });
  return decodeRows(raw);
}

/** The store's reply to a command, which is sent with the options of the connection string, as the driver's cursors send it. */
async function firstReply(conn: Connection, db: Db, command: Document): Promise<CursorReply> {
  const { readPreference } = db;
  const limit = limitOf(conn);
  limit?.onCommand(Object.keys(command)[0] ?? '');
  const full = { ...command, ...(limit && { maxTimeMS: limit.limitMs }), ...CACHED_READ };
  const { cursor } = await db.command(full, { raw: true, readPreference });
  return decodeRow<CursorReply>(cursor);
}

/** Whether the driver's cursor may succeed: it retries a read when a connection is lost or the primary has changed. */
function isRetried(error: unknown): boolean {
  const { MongoNetworkError, MongoServerError } = mongoose.mongo;
  return error instanceof MongoNetworkError || (error instanceof MongoServerError && error.code !== MAX_TIME_EXPIRED);
}
