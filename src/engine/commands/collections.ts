// create, drop, dropDatabase, listCollections, listDatabases

import { Int32, Long } from 'bson';
import { toBytes } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { Cursor } from '../sessions/cursors.js';
import { fail } from '../errors.js';
import { samePattern } from '../planner/plan.js';
import { compileFilter } from '../query/matcher.js';
import type { CollectionInfo } from '../store/catalog.js';
import { dropCollection } from '../store/ddl.js';
import { attempt, type SlicedBody } from '../store/slices.js';
import type { DirectWriter, Writer } from '../store/writer.js';
import { refuse } from './args.js';
import { type Command, type Ctx, namespaceOf, requireWritable, write, writeDirect } from './context.js';
import { listSource } from './list-source.js';
import { batchWanted, firstReply } from './read.js';

/** Options of create that this engine does not support. */
const NOT_HERE = [
  ...['capped', 'size', 'max', 'timeseries', 'expireAfterSeconds', 'clusteredIndex', 'validator', 'viewOn', 'pipeline'],
  ...['collation', 'encryptedFields', 'storageEngine', 'indexOptionDefaults', 'validationLevel', 'validationAction'],
];

/** Every collection has the same index of `_id`; another specification is an error. */
function requireIdIndex(spec: Doc | undefined): void {
  if (!spec) return;
  const { key, name = '_id_', v = 2, ns: _, ...options } = spec;
  const plain = isDocument(key) && samePattern(key, { _id: 1 }) && name === '_id_' && Number(v) === 2;
  if (plain && Object.keys(options).length === 0) return;
  fail('InvalidIndexSpecificationOption', 'The index of _id can only be {key: {_id: 1}, name: "_id_", v: 2}');
}

function* createOne(writer: Writer, ns: string): SlicedBody<boolean> {
  return yield* attempt(() => {
    if (writer.collection(ns)) return false;
    writer.collection(ns, {});
    return true;
  });
}

/** Creates an empty collection. */
export const createCommand: Command = {
  name: 'create',
  help: 'creates a collection',
  fields: [...NOT_HERE, 'changeStreamPreAndPostImages', 'idIndex'],
  inTransaction: true,
  stable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    refuse(ctx.args, NOT_HERE);
    requireIdIndex(ctx.args.document('idIndex'));
    const images = ctx.args.document('changeStreamPreAndPostImages');
    if (images?.enabled === true) fail('NotImplemented', 'changeStreamPreAndPostImages is not supported by this store');
    const isNew = await write(ctx, (writer) => createOne(writer, ns));
    return isNew ? {} : fail('NamespaceExists', `Collection ${ns} already exists.`);
  },
};

/** Drops a collection. */
export const dropCommand: Command = {
  name: 'drop',
  help: 'drops a collection',
  fields: [],
  stable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    const dropped = await writeDirect(ctx, (writer) => dropCollection(ctx.engine, writer, ns));
    ctx.engine.garbage.start();
    return dropped ? { nIndexesWas: new Int32(dropped.indexes.length), ns } : {};
  },
};

function* dropAll(ctx: Ctx, writer: DirectWriter): SlicedBody<void> {
  for (const collection of ctx.engine.catalog.ofDatabase(ctx.db))
    yield* dropCollection(ctx.engine, writer, collection.ns);
  writer.log([{ op: 'c', ns: `${ctx.db}.$cmd`, o: { dropDatabase: 1 } }]);
}

/** Drops a database with all its collections. */
export const dropDatabaseCommand: Command = {
  name: 'dropDatabase',
  help: 'drops a database',
  fields: [],
  stable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    if (ctx.db === 'admin') fail('IllegalOperation', "Dropping the 'admin' database is prohibited.");
    if (ctx.engine.catalog.ofDatabase(ctx.db).length === 0) return {};
    await writeDirect(ctx, (writer) => dropAll(ctx, writer));
    ctx.engine.garbage.start();
    return { dropped: ctx.db };
  },
};

function describe(collection: CollectionInfo): Doc {
  const { name, options, uuid, indexes } = collection;
  return { name, type: 'collection', options, info: { readOnly: false, uuid }, idIndex: indexes[0]?.spec ?? {} };
}

/** Lists the collections of a database as a cursor. */
export const listCollectionsCommand: Command = {
  name: 'listCollections',
  help: 'lists the collections of a database',
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  stable: true,
  run(ctx: Ctx): Promise<Doc> {
    const filter = compileFilter(ctx.args.document('filter') ?? {}, {});
    const nameOnly = ctx.args.boolean('nameOnly');
    const descriptions = ctx.engine.catalog.ofDatabase(ctx.db).map(describe);
    const names = descriptions
      .filter((doc) => filter.test(doc))
      .map((doc) => (nameOnly ? { name: doc.name, type: doc.type } : doc));
    const cursor = new Cursor(`${ctx.db}.$cmd.listCollections`, listSource(names.map((doc) => toBytes(doc))));
    return firstReply(ctx, cursor, batchWanted(ctx));
  },
};

/** Lists the databases with their sizes. */
export const listDatabasesCommand: Command = {
  name: 'listDatabases',
  help: 'lists databases',
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  stable: true,
  admin: true,
  run(ctx: Ctx): Doc {
    const filter = compileFilter(ctx.args.document('filter') ?? {}, {});
    const sizes = new Map<string, number>();
    for (const { db, size } of ctx.engine.catalog.all()) sizes.set(db, (sizes.get(db) ?? 0) + size);
    const all = [...sizes].map(([name, size]): Doc => ({ name, sizeOnDisk: Long.fromNumber(size), empty: false }));
    const databases = all.filter((doc) => filter.test(doc));
    if (ctx.args.boolean('nameOnly')) return { databases: databases.map(({ name }) => ({ name })) };
    const total = databases.reduce((sum, doc) => sum + Number(doc.sizeOnDisk), 0);
    return { databases, totalSize: Long.fromNumber(total), totalSizeMb: Long.fromNumber(Math.round(total / 1048576)) };
  },
};
