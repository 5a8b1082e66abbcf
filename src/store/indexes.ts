// Indexes of only those rows that have a field, and the drop of their former versions.
import type { IndexDefinition, IndexOptions, Model } from 'mongoose';

const INDEX_NOT_FOUND = 27;

/**
 * Options of an index that has only rows with this field. It is partial, because MongoDB uses no `sparse` index for clients with the strict
 * stable API, such as the gateway. It serves filters that imply that the field exists: by a value, a range or `$in`, not by null.
 */
export const rowsWith = (field: string): IndexOptions => ({
  name: `rowsWith_${field}`,
  partialFilterExpression: { [field]: { $exists: true } },
});

/** The names that indexes of `rowsWith` had when they were sparse and had no name of their own. */
export function formerNames(indexes: readonly [IndexDefinition, IndexOptions][]): string[] {
  return indexes.flatMap(([key, { name }]) =>
    name?.startsWith('rowsWith_') ? [Object.entries(key).flat().join('_')] : [],
  );
}

/** Drops these indexes of a collection, if they exist; it may run repeatedly, and while gateways run. */
export async function dropIndexes(
  { collection }: Pick<Model<unknown>, 'collection'>,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const present = (await collection.indexes()).flatMap(({ name }) => (name && names.includes(name) ? [name] : []));
  for (const name of present)
    await collection.dropIndex(name).catch((error: unknown) => {
      // Another process has dropped it.
      if ((error as { code?: unknown }).code !== INDEX_NOT_FOUND) throw error;
    });
}
