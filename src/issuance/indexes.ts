// Indexes of issuances that were replaced: those of earlier versions are dropped when indexes are built.
import type { Connection } from 'mongoose';
import { issuanceModels } from './models.js';

/** Unique over all rows, it would allow one row without a place in a status list; and an order by type without direct ones. */
const REPLACED: ReadonlySet<string> = new Set(['statusListId_1_statusListIndex_1', 'jobId_1_createdAt_1__id_1']);

const INDEX_NOT_FOUND = 27;

/** Drops indexes of earlier versions; it may run repeatedly, and beside running gateways. */
export async function dropReplacedIndexes(connection: Connection): Promise<void> {
  const { collection } = issuanceModels(connection).issuances;
  const names = (await collection.indexes()).flatMap(({ name }) => (name && REPLACED.has(name) ? [name] : []));
  for (const name of names)
    await collection.dropIndex(name).catch((error: unknown) => {
      // Another process dropped it.
      if ((error as { code?: unknown }).code !== INDEX_NOT_FOUND) throw error;
    });
}
