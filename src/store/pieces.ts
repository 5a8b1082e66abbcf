// Work on whole collections in pieces. One command over a large collection may outlast its connection, and each retry would start from zero.
// Here each command reads only the rows of one piece, whatever its filter (docs/decisions/0043-whole-collections-in-pieces.md).
import { handleWhen } from 'cockatiel';
import type { Document } from 'mongodb';
import type { Collection } from 'mongoose';
import { DELAYS, retrying } from '../base/concurrency/retry.js';
import { toDomainError } from '../base/errors.js';

/** A model, or any object with its collection. */
interface Rows {
  collection: Collection;
}

/** Which rows, and how many at once. */
export interface PieceOptions {
  /** Ends the work between two commands by throwing the signal's reason. Completed pieces are not undone. */
  signal?: AbortSignal | undefined;
  /** The order: an indexed field that has values of one type. Default `_id`. */
  by?: string;
  /** Only rows whose `by` is this or greater; required if `by` has only a partial index. */
  from?: string | number;
  /** Only rows whose `by` is less. */
  until?: string;
  /** Rows of a piece. Default 1,000. */
  size?: number;
}

/** The range that limits a command to one piece, and its options. */
interface Piece {
  range: Document;
  hint: Document;
}

const SIZE = 1_000;
const isStoreUnavailable = (error: unknown): boolean => toDomainError(error).code === 'STORE_UNAVAILABLE';
/** Retries while the store is unavailable, as during an election. */
const WHILE_UNAVAILABLE = retrying(DELAYS.storeCommand, handleWhen(isStoreUnavailable));
const NEVER = new AbortController().signal;

/**
 * Updates the rows that match a filter; the filter needs no index. Stopping and running it again is safe only if changed rows no longer
 * match the filter, or if the change may be repeated. @throws the driver's error after five attempts; the signal's reason.
 */
export async function updateInPieces(
  { collection }: Rows,
  filter: object,
  change: object,
  options: PieceOptions = {},
): Promise<void> {
  for await (const { range, hint } of piecesOf(collection, options)) {
    const update = () => collection.updateMany({ $and: [range, filter] }, change as Document, { hint });
    await patiently(update, options.signal);
  }
}

/** Deletes the rows that match a filter, which needs no index. @throws as `updateInPieces`. */
export async function deleteInPieces({ collection }: Rows, filter: object, options: PieceOptions = {}): Promise<void> {
  for await (const { range, hint } of piecesOf(collection, options))
    await patiently(() => collection.deleteMany({ $and: [range, filter] }, { hint }), options.signal);
}

/**
 * Reads the rows that match a filter, which needs no index, piece by piece; pieces without such rows are skipped.
 * @throws as `updateInPieces`.
 */
export async function* readInPieces<R extends object>(
  { collection }: Rows,
  filter: object,
  { fields, ...options }: PieceOptions & { fields?: readonly (keyof R & string)[] } = {},
): AsyncGenerator<R[]> {
  const projection = fields && Object.fromEntries(fields.map((field) => [field, 1]));
  for await (const { range, hint } of piecesOf(collection, options)) {
    const read = () =>
      collection.find({ $and: [range, filter] }, { hint, ...(projection && { projection }) }).toArray();
    const rows = await patiently(read, options.signal);
    if (rows.length > 0) yield rows as unknown as R[];
  }
}

/** Deletes the rows that match a filter that an index serves. @throws as `updateInPieces`. */
export async function deleteByIndex({ collection }: Rows, filter: object, options: ByIndexOptions = {}): Promise<void> {
  for await (const rows of byIndex(collection, filter, options))
    await patiently(() => collection.deleteMany(rows), options.signal);
}

/**
 * Updates the rows that match a filter that an index serves; changed rows must no longer match it.
 * @param isStill asked after the rows of a piece are found: once it is false, no more rows are changed.
 * @throws as `updateInPieces`.
 */
export async function updateByIndex(
  { collection }: Rows,
  filter: object,
  change: object,
  { isStill = ALWAYS, ...options }: ByIndexOptions & { isStill?: () => Promise<boolean> } = {},
): Promise<void> {
  for await (const rows of byIndex(collection, filter, options)) {
    if (!(await isStill())) return;
    await patiently(() => collection.updateMany({ $and: [rows, filter] }, change as Document), options.signal);
  }
}

const ALWAYS = (): Promise<boolean> => Promise.resolve(true);

type ByIndexOptions = Pick<PieceOptions, 'signal' | 'size'>;

/** Filters that name the next rows by their ids, until there are none. */
async function* byIndex(
  collection: Collection,
  filter: object,
  { signal, size = SIZE }: ByIndexOptions,
): AsyncGenerator<Document> {
  for (;;) {
    const read = () => collection.find(filter, { projection: { _id: 1 }, limit: size }).toArray();
    const ids = (await patiently(read, signal)).map(({ _id }) => _id);
    if (ids.length > 0) yield { _id: { $in: ids } };
    if (ids.length < size) return;
  }
}

async function* piecesOf(
  collection: Collection,
  { signal = NEVER, by = '_id', from, until, size = SIZE }: PieceOptions,
): AsyncGenerator<Piece> {
  const hint = { [by]: 1 };
  const last = until === undefined ? {} : { $lt: until };
  let bounds: Document = { ...(from === undefined ? {} : { $gte: from }), ...last };
  for (;;) {
    const rest = Object.keys(bounds).length === 0 ? {} : { [by]: bounds };
    const options = { projection: hint, sort: { [by]: 1 as const }, skip: size - 1, limit: 1, hint };
    const [end] = await patiently(() => collection.find(rest, options).toArray(), signal);
    // There are fewer rows after the last full piece than a piece has.
    yield { range: end === undefined ? rest : { [by]: { ...bounds, $lte: end[by] } }, hint };
    if (end === undefined) return;
    bounds = { $gt: end[by], ...last };
  }
}

/** Sends a command again while the store is unavailable. */
async function patiently<T>(command: () => Promise<T>, signal: AbortSignal = NEVER): Promise<T> {
  const attempt = (): Promise<T> => {
    signal.throwIfAborted();
    return command();
  };
  return WHILE_UNAVAILABLE.execute(attempt, signal);
}
