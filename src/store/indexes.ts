// Indexes of some of the rows, and those of earlier versions that are dropped.
import type { IndexDefinition, IndexOptions, Model } from 'mongoose';

const INDEX_NOT_FOUND = 27;

/**
 * Options of an index that has only rows with this field. It is not `sparse`: clients that ask for MongoDB's stable API strictly, as the
 * gateway does, get no plan through a sparse index. Filters must say that the field is there: by a value, a range or `$in`, not by null.
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

/** Drops these indexes of a collection, if they are there; it may run repeatedly, and beside running gateways. */
export async function dropIndexes(
  { collection }: Pick<Model<unknown>, 'collection'>,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const present = (await collection.indexes()).flatMap(({ name }) => (name && names.includes(name) ? [name] : []));
  for (const name of present)
    await collection.dropIndex(name).catch((error: unknown) => {
      // Another process dropped it.
      if ((error as { code?: unknown }).code !== INDEX_NOT_FOUND) throw error;
    });
}
