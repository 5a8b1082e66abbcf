// Every pair of filter and order that a list allows walks an index made for it: none is sorted in memory, none scans.
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { KINDS } from '../../src/catalog/kinds.js';
import { CATALOG_KINDS, catalogModels } from '../../src/catalog/models.js';
import { RELATIONS } from '../../src/catalog/relations.js';

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

it.each(pairs)('$kind filtered by $field, ordered by $name', ({ kind, filter, name, order }) => {
  const indexes = indexesOf(kind);
  if (filter.match === 'range') {
    if (filter.order === name) expect(indexes).toContain(`live ${filter.path} _id`);
  } else if (filter.match === 'name') {
    expect(indexes).toContain('live terms');
    expect(indexes).toContain('live sortName _id');
  } else if (filter.path !== '_id' && !indexes.includes(filter.path)) {
    expect(indexes).toContain(`live ${filter.path} ${order.path} _id`);
  }
});

it.each(
  CATALOG_KINDS.flatMap((kind) => Object.entries(KINDS[kind].orders).map(([name, { path }]) => ({ kind, name, path }))),
)('$kind ordered by $name', ({ kind, path }) => expect(indexesOf(kind)).toContain(`live ${path} _id`));

it.each(Object.entries(RELATIONS))('%s of a parent', (_, { list, foreignField, orders, tie, edges }) => {
  for (const { path } of Object.values(orders)) {
    expect(indexesOf(list)).toContain([...(edges ? [] : ['live']), foreignField, path, tie].join(' '));
  }
});
