// What a page needs of the store, read by the bare driver: one command for each relation, and only the fields that are shown.
import type { Db } from 'mongodb';
import { type Credential, credentialOf } from './rows.js';

export interface ProgramRow {
  _id: string;
  name: string;
  pricingModel: string;
  verifierId: string;
}

const POPULAR = { popularity: -1, _id: -1 } as const;

/** The most popular credentials, at most `limit`. */
export async function readCredentials(db: Db, limit: number): Promise<Credential[]> {
  const fields = { name: 1, category: 1, issuerId: 1, schemaId: 1, traction: 1, demandCount: 1 };
  const rows = await db
    .collection('credentials')
    .find({ live: true })
    .project(fields)
    .sort(POPULAR)
    .limit(limit)
    .batchSize(limit)
    .toArray();
  return rows.map((row) => credentialOf(row as never));
}

/** Live rows by id. */
export function readByIds<R extends { _id: string }>(
  db: Db,
  name: string,
  ids: readonly string[],
  fields: readonly string[],
): Promise<Map<string, R>> {
  const distinct = [...new Set(ids)];
  return db
    .collection<R>(name)
    .find({ _id: { $in: distinct }, live: true } as never)
    .project<R>(Object.fromEntries(fields.map((field) => [field, 1])))
    .batchSize(distinct.length + 1)
    .toArray()
    .then((rows) => new Map(rows.map((row) => [row._id, row])));
}

/** The most popular programs of each of these credentials, at most `limit` each. */
export async function readPrograms(db: Db, ids: readonly string[], limit: number): Promise<Map<string, ProgramRow[]>> {
  const lookup = {
    from: 'programs',
    localField: '_id',
    foreignField: 'acceptedCredentials.credentialId',
    pipeline: [
      { $match: { live: true } },
      { $sort: POPULAR },
      { $limit: limit },
      { $project: { name: 1, pricingModel: 1, verifierId: 1 } },
    ],
    as: 'rows',
  };
  const parents = await db
    .collection('credentials')
    .aggregate([{ $match: { _id: { $in: ids } } }, { $project: { _id: 1 } }, { $lookup: lookup }] as object[], {
      batchSize: ids.length + 1,
    })
    .toArray();
  return new Map(parents.map(({ _id, rows }) => [String(_id), rows as ProgramRow[]]));
}
