// What an answer was made of, so that whoever keeps the answer knows which change it dies of. Keys are those that CatalogChanges tells.
import type { CatalogKind } from '../models.js';

/** Kinds of rows that answers are made of. */
export type ReadKind = CatalogKind | 'schemaVersions' | 'catalogTotals' | 'acceptedCredentials';

/** The key of one row, there or not. */
export const rowKey = (kind: ReadKind, id: string): string => `${kind}:${id}`;

/** The key of what is true of a whole collection: which rows it has, or the values of one field over all of them. */
export const fieldKey = (collection: string, path?: string): string =>
  path === undefined ? collection : `${collection}.${path.split('.', 1)[0]}`;

/**
 * Records what is read of the catalog. For an answer cache: give one to `makeLoaders(services, { reads })` as `context.reads` (REST:
 * `catalog.for(reads)`), run the operation, keep its answer under `reads.keys`; it dies when `services.catalogChanges` tells one of
 * these keys. What is told while the operation runs counts too: so begin to listen for keys before it runs, or compare
 * `catalogChanges.told` from before and after, and keep no answer when it moved.
 * Only the catalog records: operations with other root fields (`me`, `issuances`, `search`, …) must not be kept.
 */
export class Reads {
  readonly keys = new Set<string>();

  row(kind: ReadKind, id: string): void {
    this.keys.add(rowKey(kind, id));
  }

  list(keys: readonly string[]): void {
    for (const key of keys) this.keys.add(key);
  }
}
