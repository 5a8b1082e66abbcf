// The collections of the store's database.
import type { Connection } from 'mongoose';

/** The names of all collections. @throws the driver's error. */
export async function collectionNames({ db }: Pick<Connection, 'db'>): Promise<ReadonlySet<string>> {
  if (db === undefined) throw new Error('not connected');
  return new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
}
