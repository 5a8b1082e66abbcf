// The operations a test may call, one table: name -> what it does through the driver's public API.
import type { ChangeStream, ClientSession, Collection, Db, FindCursor, MongoClient } from 'mongodb';
import type { Entities } from './entities.js';
import { bulkResult } from './errors.js';
import { type Json, object } from './format.js';

interface Call {
  // biome-ignore lint/suspicious/noExplicitAny: only the tests, which are data, say on which class an operation is called.
  target: any;
  args: Json;
  entities: Entities;
}
type Run = (call: Call) => Promise<unknown>;

const collection = (call: Call): Collection => call.target;
const database = (call: Call): Db => call.target;
const session = (call: Call): ClientSession => call.target;

/** Options without the named leading arguments. */
function rest(args: Json, ...named: string[]): Json {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !named.includes(key)));
}

/** Arguments of the kind `name(filter, …, options)`. */
function call(name: string, ...named: string[]): Run {
  return async ({ target, args }) => {
    const options = rest(args, ...named);
    if (typeof options.returnDocument === 'string') options.returnDocument = options.returnDocument.toLowerCase();
    return target[name](...named.map((key) => args[key]), options);
  };
}

/** Starts a cursor without reading from it, so that the command is sent when the test says so. */
async function start<T>(cursor: T): Promise<T> {
  const holder = cursor as { cursor?: { cursorInit(): Promise<void> }; cursorInit?(): Promise<void> };
  await (holder.cursor ? holder.cursor.cursorInit() : holder.cursorInit?.());
  return cursor;
}

const watch: Run = async ({ target, args, entities }) => {
  const stream: ChangeStream = target.watch(args.pipeline, rest(args, 'pipeline'));
  entities.closers.push(() => stream.close());
  return start(stream);
};

const COLLECTION: Record<string, Run> = {
  aggregate: async ({ target, args }) => target.aggregate(args.pipeline, rest(args, 'pipeline')).toArray(),
  bulkWrite: async (c) => bulkResult(await collection(c).bulkWrite(c.args.requests as never, rest(c.args, 'requests'))),
  count: call('count', 'filter'),
  countDocuments: call('countDocuments', 'filter'),
  createIndex: call('createIndex', 'keys'),
  deleteMany: call('deleteMany', 'filter'),
  deleteOne: call('deleteOne', 'filter'),
  distinct: call('distinct', 'fieldName', 'filter'),
  dropIndex: call('dropIndex', 'name'),
  estimatedDocumentCount: call('estimatedDocumentCount'),
  find: async (c) =>
    collection(c)
      .find(c.args.filter as Json, rest(c.args, 'filter'))
      .toArray(),
  findOne: call('findOne', 'filter'),
  findOneAndDelete: call('findOneAndDelete', 'filter'),
  findOneAndReplace: call('findOneAndReplace', 'filter', 'replacement'),
  findOneAndUpdate: call('findOneAndUpdate', 'filter', 'update'),
  insertMany: call('insertMany', 'documents'),
  insertOne: call('insertOne', 'document'),
  listIndexes: async (c) => collection(c).listIndexes(c.args).toArray(),
  listIndexNames: async (c) => (await collection(c).listIndexes(c.args).toArray()).map((index) => index.name),
  replaceOne: call('replaceOne', 'filter', 'replacement'),
  updateMany: call('updateMany', 'filter', 'update'),
  updateOne: call('updateOne', 'filter', 'update'),
  createChangeStream: watch,
  createFindCursor: async (c) => start(collection(c).find(c.args.filter as Json, rest(c.args, 'filter'))),
};

const DATABASE: Record<string, Run> = {
  aggregate: COLLECTION.aggregate as Run,
  createChangeStream: watch,
  createCollection: async (c) => {
    await database(c).createCollection(String(c.args.collection), rest(c.args, 'collection'));
  },
  dropCollection: async (c) => database(c).dropCollection(String(c.args.collection), rest(c.args, 'collection')),
  listCollections: async (c) =>
    database(c)
      .listCollections((c.args.filter ?? {}) as Json, rest(c.args, 'filter'))
      .toArray(),
  listCollectionNames: async (c) =>
    database(c)
      .listCollections((c.args.filter ?? {}) as Json, { ...rest(c.args, 'filter'), nameOnly: true })
      .toArray(),
  modifyCollection: async (c) => database(c).command({ collMod: c.args.collection, ...rest(c.args, 'collection') }),
  runCommand: async (c) => {
    const options = rest(c.args, 'command', 'commandName');
    return database(c).command(object(c.args.command, 'command'), options);
  },
};
DATABASE.listCollectionObjects = DATABASE.listCollections as Run;

const CLIENT: Record<string, Run> = {
  createChangeStream: watch,
  listDatabases: async (c) =>
    ((await (c.target as MongoClient).db('admin').admin().listDatabases(c.args)) as unknown as Json).databases,
  listDatabaseNames: async (c) => {
    const { databases } = await (c.target as MongoClient)
      .db('admin')
      .admin()
      .listDatabases({ ...c.args, nameOnly: true });
    return databases.map(({ name }) => name);
  },
  close: async (c) => (c.target as MongoClient).close(),
};
CLIENT.listDatabaseObjects = CLIENT.listDatabases as Run;

const SESSION: Record<string, Run> = {
  startTransaction: async (c) => session(c).startTransaction(c.args),
  commitTransaction: async (c) => session(c).commitTransaction(c.args),
  abortTransaction: async (c) => session(c).abortTransaction(c.args),
  endSession: async (c) => session(c).endSession(),
  getSnapshotTime: async (c) => (session(c) as unknown as { snapshotTime: unknown }).snapshotTime,
};

const CURSOR: Record<string, Run> = {
  iterateUntilDocumentOrError: async (c) => (c.target as ChangeStream).next(),
  iterateOnce: async (c) => (c.target as FindCursor).tryNext(),
  close: async (c) => (c.target as ChangeStream).close(),
};

const TABLES: Record<string, Record<string, Run>> = {
  MongoClient: CLIENT,
  Db: DATABASE,
  Collection: COLLECTION,
  ClientSession: SESSION,
  ChangeStream: CURSOR,
  FindCursor: CURSOR,
};

/** Calls one operation on an entity; entity names among its arguments are resolved first. */
export async function runOnEntity(name: string, target: object, args: Json, entities: Entities): Promise<unknown> {
  const run = TABLES[target.constructor.name]?.[name];
  if (!run) throw new Error(`the runner does not know ${target.constructor.name}.${name}`);
  const resolved = typeof args.session === 'string' ? { ...args, session: entities.get(args.session) } : args;
  return run({ target, args: resolved, entities });
}
