// Rows of catalog entries as writes read and build them, the same for all kinds.
import type { ClientSession, Model } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { Row } from '../rows/models.js';
import { sortNameOf, termsOf } from '../rows/terms.js';

/** The fields of every new or changed row; the writer sets the etag. */
export function baseRow(
  id: string,
  name: string,
  before: Row | undefined,
  createdAt: string | undefined,
  now: Date,
): Row {
  return {
    _id: id,
    live: true,
    terms: termsOf(name),
    sortName: sortNameOf(name),
    popularity: before?.popularity ?? 0,
    createdAt: createdAt === undefined ? (before?.createdAt ?? now) : new Date(createdAt),
    updatedAt: now,
    etag: '',
  };
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
