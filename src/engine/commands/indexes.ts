// createIndexes, listIndexes, dropIndexes

import { Int32 } from 'bson';
import { toBytes } from '../bson/codec.js';
import { type Doc, isDocument, isNumber } from '../bson/types.js';
import { Cursor } from '../sessions/cursors.js';
import { fail } from '../errors.js';
import { samePattern } from '../planner/plan.js';
import { type CollectionInfo, makeIndex } from '../store/catalog.js';
import { buildIndex, dropIndexes } from '../store/ddl.js';
import { LockWait } from '../store/locks.js';
import { attempt, type SlicedBody } from '../store/slices.js';
import type { DirectWriter } from '../store/writer.js';
import { type Command, type Ctx, findCollection, namespaceOf, requireWritable, writeDirect } from './context.js';
import { hasIndex, indexSpec } from './index-spec.js';
import { listSource } from './list-source.js';
import { batchWanted, firstReply } from './read.js';

function* createAll(ctx: Ctx, writer: DirectWriter, ns: string, specs: Doc[]): SlicedBody<Doc> {
  const { existed, collection } = yield* attempt(() => {
    const existing = writer.collection(ns);
    const into = existing ?? writer.collection(ns, {});
    return {
      existed: existing !== undefined,
      collection: into ?? fail('NamespaceNotFound', `ns does not exist: ${ns}`),
    };
  });
  const before = collection.indexes.length;
  // Checks all indexes first: if one conflicts with an existing index, none is built.
  for (const spec of specs) hasIndex(collection, spec);
  const built: string[] = [];
  try {
    for (const spec of specs) {
      if (yield* hasWholeIndex(collection, spec)) continue;
      built.push((yield* buildIndex(ctx.engine, writer, collection, spec)).name);
    }
  } catch (error) {
    if (built.length > 0) yield* dropIndexes(ctx.engine, writer, collection, built);
    throw error;
  }
  return countsReply(before, collection.indexes.length, !existed);
}

/** As `hasIndex`; waits while another command builds that index. */
function* hasWholeIndex(collection: CollectionInfo, spec: Doc): SlicedBody<boolean> {
  while (hasIndex(collection, spec)) {
    const building = collection.indexes.find((index) => index.name === spec.name)?.building;
    if (!building) return true;
    yield new LockWait(building);
  }
  return false;
}

function countsReply(before: number, after: number, created: boolean): Doc {
  const note = before === after ? { note: 'all indexes already exist' } : {};
  return {
    numIndexesBefore: new Int32(before),
    numIndexesAfter: new Int32(after),
    createdCollectionAutomatically: created,
    ...note,
  };
}

/**
 * A transaction creates indexes only on collections that it created, which contain no documents of other transactions.
 */
function createStaged(ctx: Ctx, ns: string, specs: Doc[]): Doc {
  const { txn, engine } = ctx;
  const existed = txn?.collection(ns) !== undefined;
  const collection = txn?.collection(ns, {});
  if (!txn || !collection) return fail('InternalError', 'no transaction');
  const before = collection.indexes.length;
  const missing = specs.filter((spec) => !hasIndex(collection, spec));
  if (missing.length > 0 && (!txn.created(collection) || txn.view.count(collection) > 0)) {
    fail(
      'OperationNotSupportedInTransaction',
      `Cannot create new indexes on existing collection ${ns} in a multi-document transaction.`,
    );
  }
  for (const spec of missing) collection.indexes.push(makeIndex(engine.catalog.newId(), spec, 0n));
  return countsReply(before, collection.indexes.length, !existed);
}

/** With one member, every possible quorum is met. */
function requireQuorum(quorum: unknown): void {
  if (quorum === undefined || quorum === 'votingMembers' || quorum === 'majority') return;
  if (isNumber(quorum) && Number(quorum) <= 1) return;
  fail('UnsatisfiableWriteConcern', 'Commit quorum cannot be satisfied with the current replica set configuration');
}

/** Creates indexes, and the collection if it is missing. */
export const createIndexesCommand: Command = {
  name: 'createIndexes',
  help: 'creates indexes',
  fields: ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions', 'v'],
  inTransaction: true,
  stable: true,
  writes: true,
  run(ctx: Ctx): Promise<Doc> | Doc {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    const inputs = ctx.args.documents('indexes') ?? ctx.args.missing('indexes');
    if (inputs.length === 0) fail('BadValue', 'Must specify at least one index to create');
    requireQuorum(ctx.args.get('commitQuorum'));
    const specs = inputs.map(indexSpec);
    if (ctx.txn) return createStaged(ctx, ns, specs);
    return writeDirect(ctx, (writer) => createAll(ctx, writer, ns, specs));
  },
};

/** Indexes of a collection as a cursor. */
export const listIndexesCommand: Command = {
  name: 'listIndexes',
  help: 'lists the indexes of a collection',
  fields: ['cursor'],
  stable: true,
  run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    const collection = findCollection(ctx, ns) ?? fail('NamespaceNotFound', `ns does not exist: ${ns}`);
    const cursor = new Cursor(ns, listSource(collection.indexes.map((index) => toBytes(index.spec))));
    return firstReply(ctx, cursor, batchWanted(ctx));
  },
};

/** Names of the indexes that dropIndexes' `index` selects. */
function namesToDrop(collection: CollectionInfo, target: unknown): string[] {
  if (target === '*') return collection.indexes.map((index) => index.name).filter((name) => name !== '_id_');
  if (Array.isArray(target)) return target.flatMap((each) => namesToDrop(collection, each));
  const [match, ...others] = collection.indexes.filter((index) =>
    isDocument(target) ? samePattern(index.key, target) : index.name === target,
  );
  if (others.length > 0) {
    fail(
      'AmbiguousIndexKeyPattern',
      `${others.length + 1} indexes found for key: ${JSON.stringify(target)}, identify by name instead. Conflicting indexes: ${JSON.stringify([match, ...others].map((index) => index?.spec))}`,
    );
  }
  if (!match) {
    const what = isDocument(target)
      ? `can't find index with key: ${JSON.stringify(target)}`
      : `index not found with name [${String(target)}]`;
    return fail('IndexNotFound', what);
  }
  if (match.name === '_id_') return fail('InvalidOptions', 'cannot drop _id index');
  return [match.name];
}

/** Drops indexes by name, key pattern, or all. */
export const dropIndexesCommand: Command = {
  name: 'dropIndexes',
  aliases: ['deleteIndexes'],
  help: 'drops indexes',
  fields: ['index'],
  stable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    const collection = ctx.engine.catalog.find(ns) ?? fail('NamespaceNotFound', `ns not found ${ns}`);
    const target = ctx.args.get('index') ?? ctx.args.missing('index');
    const before = collection.indexes.length;
    const names = namesToDrop(collection, target);
    await writeDirect(ctx, (writer) => dropIndexes(ctx.engine, writer, collection, names));
    ctx.engine.garbage.start();
    return {
      nIndexesWas: new Int32(before),
      ...(target === '*' ? { msg: 'non-_id indexes dropped for collection' } : {}),
    };
  },
};
