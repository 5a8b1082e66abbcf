// Rows of catalog entries as writes read and build them, the same for all kinds.
import type { ClientSession, Model } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { Row } from '../rows/models.js';
import { sortNameOf, termsOf } from '../rows/terms.js';

/** What every row is built from. */
interface RowFacts {
  id: string;
  name: string;
  before: Row | undefined;
  createdAt: string | undefined;
  now: Date;
}

/**
 * A new or changed row: the fields that all kinds have, and `own` ones, which may replace those; the writer sets the
 * etag. They are assigned, because V8 takes microseconds for each member that follows spread ones.
 */
export function newRow<O extends object>({ id, name, before, createdAt, now }: RowFacts, own: O): Row & O {
  const row: Row = {
    _id: id,
    live: true,
    terms: termsOf(name),
    sortName: sortNameOf(name),
    popularity: before?.popularity ?? 0,
    createdAt: createdAt === undefined ? (before?.createdAt ?? now) : new Date(createdAt),
    updatedAt: now,
    etag: '',
  };
  return Object.assign(row, own);
}

/** Rows by id, live or not, in one command; of each only `fields`, if they are given. */
export async function rowsById<R extends { _id: string }, F extends keyof R = keyof R>(
  model: Model<R>,
  ids: Iterable<string>,
  session: ClientSession,
  fields?: readonly F[],
): Promise<Map<string, Pick<R, F | '_id'>>> {
  const uniqueIds = [...new Set(ids)];
  if (uniqueIds.length === 0) return new Map();
  const projection = fields && { projection: Object.fromEntries(fields.map((field) => [field, 1])) };
  const rows = await native(model)
    .find({ _id: { $in: uniqueIds } }, { session, ...projection })
    .toArray();
  return new Map((rows as unknown as Pick<R, F | '_id'>[]).map((row) => [row._id, row]));
}
