// Every pair of filter and order of a list uses an index made for it: no list is sorted in memory, and none scans a
// collection.
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { KINDS } from '../../../src/catalog/lists/kinds.js';
import { RELATIONS } from '../../../src/catalog/lists/relations.js';
import { CATALOG_KINDS, catalogModels } from '../../../src/catalog/rows/models.js';

const models = catalogModels(mongoose.createConnection());

/** The indexes of a collection, each as the list of its fields. */
function indexesOf(list: keyof typeof models): string[] {
  return models[list].schema.indexes().map(([fields]) => Object.keys(fields).join(' '));
}

const pairs = CATALOG_KINDS.flatMap((kind) =>
  Object.entries(KINDS[kind].filters).flatMap(([field, filter]) =>
    Object.entries(KINDS[kind].orders).map(([name, order]) => ({ kind, field, filter, name, order })),
  ),
);

it.each(pairs)(
  'the list of $kind filtered by $field, ordered by $name, uses an index',
  ({ kind, filter, name, order }) => {
    const indexes = indexesOf(kind);
    if (filter.match === 'range') {
      if (filter.order === name) expect(indexes).toContain(`${filter.path} _id`);
    } else if (filter.match === 'name') {
      expect(indexes).toContain('terms');
      expect(indexes).toContain('sortName _id');
    } else if (filter.path !== '_id' && !indexes.includes(filter.path)) {
      expect(indexes).toContain(`${filter.path} ${order.path} _id`);
    }
  },
);

it.each(
  CATALOG_KINDS.flatMap((kind) => Object.entries(KINDS[kind].orders).map(([name, { path }]) => ({ kind, name, path }))),
)('the list of $kind ordered by $name uses an index', ({ kind, path }) =>
  expect(indexesOf(kind)).toContain(`${path} _id`),
);

it.each(Object.entries(RELATIONS))(
  'the list %s of a parent uses an index',
  (_, { list, foreignField, orders, tie }) => {
    for (const { path } of Object.values(orders)) {
      expect(indexesOf(list)).toContain([foreignField, path, tie].join(' '));
    }
  },
);

it('indexes of lists contain live rows only', () => {
  for (const kind of CATALOG_KINDS) {
    for (const [fields, options] of models[kind].schema.indexes()) {
      if (!options?.unique)
        expect([kind, fields, options]).toEqual([
          kind,
          fields,
          expect.objectContaining({ partialFilterExpression: { live: true } }),
        ]);
    }
  }
});
