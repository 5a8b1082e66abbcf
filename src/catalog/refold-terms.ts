// Adds to rows of earlier versions the words in the form that this version looks for.
import type { Connection } from 'mongoose';
import { leaseModels } from '../store/lease.js';
import { CATALOG_KINDS, type CatalogKind, catalogModels } from './models.js';
import { termsOf } from './terms.js';

/** The checkpoint that says that all rows have been looked at. */
const REFOLDED = 'terms refolded';
const CHUNK = 1_000;

interface NamedRow {
  _id: string;
  name?: string;
  title?: string;
  terms: string[];
}

/**
 * Adds missing words to the `terms` of all rows, once for a store. Words are only added, so that gateways of an earlier version find what they
 * look for; it may run beside them. A row that is written meanwhile is left as it is.
 */
export async function refoldTerms(connection: Connection): Promise<void> {
  const { checkpoints } = leaseModels(connection);
  if (await checkpoints.exists({ _id: REFOLDED })) return;
  for (const kind of CATALOG_KINDS) await refoldKind(connection, kind);
  await checkpoints.updateOne({ _id: REFOLDED }, { $set: { token: 0, state: {} } }, { upsert: true });
}

async function refoldKind(connection: Connection, kind: CatalogKind): Promise<void> {
  const { collection } = catalogModels(connection)[kind];
  const rows = collection.find<NamedRow>({}, { projection: { name: 1, title: 1, terms: 1 }, batchSize: CHUNK });
  let writes: object[] = [];
  const write = async (): Promise<void> => {
    if (writes.length > 0) await collection.bulkWrite(writes as never, { ordered: false });
    writes = [];
  };
  for await (const { _id, name, title, terms } of rows) {
    const missing = termsOf(name ?? title ?? '').filter((word) => !terms.includes(word));
    if (missing.length === 0) continue;
    writes.push({ updateOne: { filter: { _id, terms }, update: { $addToSet: { terms: { $each: missing } } } } });
    if (writes.length === CHUNK) await write();
  }
  await write();
}
