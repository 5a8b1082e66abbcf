// Adds words to rows of earlier versions, in the form that this version searches for.
import type { Connection } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import { readInPieces } from '../../store/pieces.js';
import type { RowUpdate } from '../../store/row-updates.js';
import { CATALOG_KINDS, type CatalogKind, catalogModels } from './models.js';
import { termsOf } from './terms.js';

interface NamedRow {
  _id: string;
  name?: string;
  title?: string;
  terms: string[];
}

/**
 * Adds missing words to the `terms` of all rows. Words are only added, so gateways of an earlier version can run
 * meanwhile and still find rows. A row that is written meanwhile is skipped.
 */
export const REFOLDED_TERMS: RowUpdate = {
  done: 'terms refolded',
  update: async (connection) => {
    for (const kind of CATALOG_KINDS) await refoldKind(connection, kind);
  },
};

async function refoldKind(connection: Connection, kind: CatalogKind): Promise<void> {
  const model = catalogModels(connection)[kind];
  for await (const rows of readInPieces<NamedRow>(model, {}, { fields: ['name', 'title', 'terms'] })) {
    const writes = rows.flatMap(({ _id, name, title, terms }) => {
      const missing = termsOf(name ?? title ?? '').filter((word) => !terms.includes(word));
      const update = { $addToSet: { terms: { $each: missing } } };
      return missing.length === 0 ? [] : [{ updateOne: { filter: { _id, terms }, update } }];
    });
    if (writes.length > 0) await native(model).bulkWrite(writes, { ordered: false });
  }
}
