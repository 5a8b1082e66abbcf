// Copies a store to another one, document by document over the driver: from the embedded engine to MongoDB, or back.
import { createHash } from 'node:crypto';
import { deserialize } from 'bson';
import type { Db, Document, IndexDescription } from 'mongodb';
import { badInput, DomainError } from '../base/errors.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { MAY_RUN } from './process-rows.js';

/** One side of a copy. */
export interface CopySide {
  db: Db;
  /** Its name in messages: a folder, or hosts and database without the password. */
  label: string;
}

/** A collection that is equal on both sides. */
export interface CollectionCopy {
  name: string;
  documents: number;
  /** SHA-256 over the BSON of its documents in `_id` order, in hexadecimal. */
  sha256: string;
}

/** Called as documents are read; `total` counts both passes, the copy and the comparison. */
export type OnCopied = (done: number, total: number) => void;

/** The row that marks a store into which a copy is in progress. */
const MARKER = 'store_copy';
const MARKER_ID = 'copy';
const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Documents that a TTL index removes within this time are not compared: either side may remove them first. */
const EXPIRES_WITHIN_MS = 10 * 60_000;

interface MarkerRow {
  _id: string;
  source: string;
  begunAt: Date;
}

const markers = (db: Db) => db.collection<MarkerRow>(MARKER);

/** The source of an unfinished copy into this store; undefined if there is none. */
export async function unfinishedCopyFrom(db: Db): Promise<string | undefined> {
  return (await markers(db).findOne({ _id: MARKER_ID }))?.source;
}

/**
 * Copies every collection in `_id` order, compares both sides, and builds the indexes. After an interruption, call it again with the same
 * sides: it continues where the target ends. Gateways refuse the target until the copy has ended.
 * @throws DomainError BAD_USER_INPUT for an empty source and a target that is not empty; CONFLICT while a gateway runs on the source, and
 * when the sides differ in the end.
 */
export async function copyStore(source: CopySide, target: CopySide, onCopied: OnCopied): Promise<CollectionCopy[]> {
  await requireIdle(source);
  const names = await collectionsOf(source.db);
  const total = 2 * (await countOf(source.db, names));
  if (total === 0) throw badInput(await emptySentence(source));
  await begin(target, source.label);
  let done = 0;
  const step = (documents: number): void => {
    done += documents;
    onCopied(done, total);
  };
  for (const name of names) await copyDocuments(source.db, target.db, name, step);
  const copies: CollectionCopy[] = [];
  for (const name of names) copies.push(await compared(source, target, name, step));
  for (const name of names) await copyIndexes(source.db, target.db, name);
  await requireIdle(source);
  await target.db.dropCollection(MARKER);
  return copies;
}

/** @throws DomainError CONFLICT while a gateway may be running. */
async function requireIdle({ db, label }: CopySide): Promise<void> {
  if ((await db.collection('processes').countDocuments(MAY_RUN)) === 0) return;
  throw new DomainError('CONFLICT', `A gateway runs on ${label}, or was killed less than a minute ago: stop it first.`);
}

async function collectionsOf(db: Db): Promise<string[]> {
  const all = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return all
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && name !== MARKER)
    .sort();
}

async function countOf(db: Db, names: readonly string[]): Promise<number> {
  let count = 0;
  for (const name of names) count += await db.collection(name).estimatedDocumentCount();
  return count;
}

async function emptySentence({ db, label }: CopySide): Promise<string> {
  const { databases } = await db.admin().listDatabases({ nameOnly: true });
  const others = databases.map(({ name }) => name).filter((name) => !['admin', 'config', 'local'].includes(name));
  const hint = others.length === 0 ? '' : ` There are the databases ${others.join(', ')}.`;
  return `There is nothing to copy in the database ${db.databaseName} of ${label}.${hint}`;
}

/** Marks the target, or finds it marked by an earlier attempt. @throws DomainError BAD_USER_INPUT for a target with data of its own. */
async function begin({ db, label }: CopySide, source: string): Promise<void> {
  const from = await unfinishedCopyFrom(db);
  if (from === source) return;
  if (from !== undefined) throw badInput(`A copy into ${label} was begun from ${from}, not from ${source}.`);
  if ((await countOf(db, await collectionsOf(db))) > 0)
    throw badInput(`The target ${label} is not empty: it has data in the database ${db.databaseName}.`);
  await markers(db).insertOne({ _id: MARKER_ID, source, begunAt: new Date() }, MAJORITY);
}

async function copyDocuments(source: Db, target: Db, name: string, step: (documents: number) => void): Promise<void> {
  const into = target.collection(name);
  const [newest] = await into
    .find({}, { projection: { _id: 1 }, promoteValues: false })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  // `$expr` compares ids of different types too; a plain `$gt` finds only those of the same type.
  const rest = newest === undefined ? {} : { $expr: { $gt: ['$_id', { $literal: newest._id }] } };
  if (newest !== undefined) step(await into.estimatedDocumentCount());
  for await (const batch of batchesOf(source, name, rest)) {
    await into.insertMany(batch.map(exactDocument), { ordered: true, ...MAJORITY });
    step(batch.length);
  }
}

/** Decodes BSON so that each number keeps its type. */
const exactDocument = (bytes: Buffer): Document =>
  deserialize(bytes, { promoteValues: false, promoteBuffers: false, bsonRegExp: true });

/** The documents of a collection as BSON, in `_id` order. */
async function* batchesOf(db: Db, name: string, filter: Document): AsyncGenerator<Buffer[]> {
  const cursor = db.collection(name).find(filter, { sort: { _id: 1 }, raw: true, batchSize: BATCH_DOCUMENTS });
  let [batch, bytes]: [Buffer[], number] = [[], 0];
  for await (const document of cursor as unknown as AsyncIterable<Buffer>) {
    batch.push(document);
    bytes += document.length;
    if (batch.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** @throws DomainError CONFLICT when the collection differs. */
async function compared(
  source: CopySide,
  target: CopySide,
  name: string,
  step: (documents: number) => void,
): Promise<CollectionCopy> {
  const filter = await lastingFilter(source.db, name);
  const [from, to] = await Promise.all([hashOf(source.db, name, filter, step), hashOf(target.db, name, filter)]);
  if (from.sha256 === to.sha256) return { name, ...from };
  throw new DomainError(
    'CONFLICT',
    `${name} differs: ${from.documents} documents in ${source.label}, ${to.documents} in ${target.label}. Was the source written meanwhile? Empty the target and copy again.`,
  );
}

/** Excludes documents that a TTL index removes soon. */
async function lastingFilter(db: Db, name: string): Promise<Document> {
  const specs = await db.collection(name).indexes();
  const horizon = Date.now() + EXPIRES_WITHIN_MS;
  const expiring = specs.flatMap(({ key, expireAfterSeconds }) =>
    expireAfterSeconds === undefined
      ? []
      : Object.keys(key).map((field) => ({
          [field]: { $not: { $lt: new Date(horizon - Number(expireAfterSeconds) * 1_000) } },
        })),
  );
  return expiring.length === 0 ? {} : { $and: expiring };
}

async function hashOf(
  db: Db,
  name: string,
  filter: Document,
  step: (documents: number) => void = () => {},
): Promise<Omit<CollectionCopy, 'name'>> {
  const hash = createHash('sha256');
  let documents = 0;
  for await (const batch of batchesOf(db, name, filter)) {
    for (const bytes of batch) hash.update(bytes);
    documents += batch.length;
    step(batch.length);
  }
  return { documents, sha256: hash.digest('hex') };
}

async function copyIndexes(source: Db, target: Db, name: string): Promise<void> {
  const specs = (await source.collection(name).indexes()).filter((spec) => spec.name !== '_id_');
  const described = specs.map(({ v: _version, ns: _namespace, background: _background, ...spec }) => spec);
  if (described.length > 0) await target.collection(name).createIndexes(described as IndexDescription[]);
  else if (!(await collectionsOf(target)).includes(name)) await target.createCollection(name);
}
