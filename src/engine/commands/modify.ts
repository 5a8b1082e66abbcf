// Inserting, updating and removing single documents through a Writer; the write commands are built on these.
import { ObjectId } from 'bson';
import { decode } from '../bson/codec.js';
import { withTimestamps } from '../bson/empty-timestamp.js';
import { withBytesOf } from '../bson/raw.js';
import { type Doc, isDocument, typeName } from '../bson/types.js';
import { fail, MongoError } from '../errors.js';
import { byId, type FoundRows } from '../planner/by-id.js';
import { prepare, prepareNothing } from '../planner/execute.js';
import type { CollectionInfo } from '../store/catalog.js';
import type { Clock } from '../store/clock.js';
import type { PatternField } from '../bson/pattern.js';
import { attempt, type SlicedBody } from '../store/slices.js';
import { docOf, type Row, type View } from '../store/view.js';
import type { Writer } from '../store/writer.js';
import type { CompiledUpdate } from '../update/compile.js';
import type { FieldChange } from '../update/diff.js';
import { upsertSeed } from './upsert-seed.js';

/** Levels of a document, including the top (the limit that MongoDB enforces for stored documents; the manual documents 100). */
const MAX_DEPTH = 180;

/** The documents to which a statement applies. */
export interface StatementTarget {
  ns: string;
  filter: Doc;
  sort?: PatternField[];
  hint?: unknown;
  vars?: Doc;
  multi: boolean;
  /** The client's setting; the engine's own statements are not strict. */
  apiStrict?: boolean;
  /** Called inside the write before each document; false ends the statement. */
  while?: (collection: CollectionInfo) => boolean;
}

/** The outcome of an update statement. */
export interface UpdateOutcome {
  matched: number;
  modified: number;
  upsertedId?: unknown;
  /** The (last) document before and after, for findAndModify. */
  before?: Doc;
  after?: Doc;
}

/** Throws Overflow for a document with fields below the deepest level; an empty document or array has none. */
function requireDepth(doc: Doc, message: string): void {
  if (isDeeper(doc, MAX_DEPTH)) fail('Overflow', message);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value))
    return value.length > 0 && (levels === 0 || value.some((each) => isDeeper(each, levels - 1)));
  if (!isDocument(value)) return false;
  // `for in` makes no list of the names.
  for (const name in value) if (levels === 0 || isDeeper(value[name], levels - 1)) return true;
  return false;
}

/** A document as it is inserted: `_id` first (generated if missing), empty timestamps replaced by the time. Throws as `withId`. */
export function newDocument(doc: Doc, clock: Clock): Doc {
  return withId(withTimestamps(doc, () => clock.stamp()));
}

/** A document with `_id` first; generated when it is missing. Throws for `_id` values that MongoDB refuses. */
export function withId(doc: Doc): Doc {
  const { _id: id } = doc;
  requireIdType(id);
  if (Object.keys(doc)[0] === '_id' && id !== undefined) return doc;
  const { _id: _, ...rest } = doc;
  const document: Doc = { _id: id === undefined ? new ObjectId() : id, ...rest };
  return withBytesOf(doc, document);
}

function requireIdType(id: unknown): void {
  const type = typeName(id);
  if (type === 'array' || type === 'regex' || type === 'undefined') {
    fail('InvalidIdField', `The '_id' value cannot be of type ${type}`);
  }
  if (!isDocument(id)) return;
  const dollar = Object.keys(id).find((name) => name.startsWith('$') && !['$ref', '$id', '$db'].includes(name));
  if (dollar !== undefined)
    fail(
      'DollarPrefixedFieldName',
      `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
    );
}

/** Inserts one document that has its `_id`. */
export function insertDocument(writer: Writer, collection: CollectionInfo, doc: Doc): void {
  requireDepth(doc, `cannot insert document because it exceeds ${MAX_DEPTH} levels of nesting`);
  writer.apply({ collection, rid: writer.newRid(collection), after: doc });
}

/** The current document of a row, or null if it was removed or no longer matches. */
function current(
  writer: Writer,
  collection: CollectionInfo,
  row: Row,
  query: FoundRows,
): { doc: Doc; raw: Buffer } | null {
  const raw = writer.view.record(collection, row.rid);
  if (!raw) return null;
  if (raw.equals(row.raw)) return { doc: docOf(row), raw };
  const doc = decode(raw);
  return query.matcher.test(doc) ? { doc, raw } : null;
}

function rowsFor(view: View, collection: CollectionInfo, target: StatementTarget): FoundRows {
  const { filter, sort, hint, vars, multi, apiStrict = false } = target;
  const found = sort || hint !== undefined ? undefined : byId(view, collection, filter);
  return found ?? prepare({ view, collection, filter, sort, hint, vars, limit: multi ? undefined : 1, apiStrict });
}

/** Calls `each` for every row that matches, inside the write; `each` returns false to stop. */
export function* eachMatch(
  writer: Writer,
  target: StatementTarget,
  each: (collection: CollectionInfo, row: Row, match: { doc: Doc; raw: Buffer }, query: FoundRows) => boolean,
): SlicedBody<void> {
  const { multi } = target;
  const collection = writer.collection(target.ns);
  if (!collection) {
    prepareNothing(target.filter, target.vars);
    return;
  }
  const query = rowsFor(writer.view, collection, target);
  const seen = new Set<number>();
  for (let rows = query.scan.next(); rows !== null; rows = query.scan.next()) {
    if (rows.length === 0) yield 'read';
    for (const row of rows) {
      yield 'write';
      if (target.while?.(collection) === false) return;
      if (collection.dropped || seen.has(row.rid)) continue;
      const go = yield* attempt(() => {
        const match = current(writer, collection, row, query);
        return match === null || each(collection, row, match, query);
      });
      if (multi) seen.add(row.rid);
      if (!go) return;
    }
  }
}

/** One update statement: updates the first match or all of them, or upserts if there is none. */
export function* updateDocuments(
  writer: Writer,
  target: StatementTarget,
  update: CompiledUpdate,
  upsert: boolean,
): SlicedBody<UpdateOutcome> {
  const outcome: UpdateOutcome = { matched: 0, modified: 0 };
  const now = new Date();
  yield* eachMatch(writer, target, (collection, row, match, query) => {
    const position = query.matcher.positionOf(match.doc);
    const fieldChanges: FieldChange[] | undefined = update.kind === 'operators' ? [] : undefined;
    const after = update.apply(match.doc, { position, inserting: false, now, changes: fieldChanges });
    const changed = after !== match.doc;
    if (changed) {
      requireDepth(after, `Document exceeds maximum nesting depth of ${MAX_DEPTH}`);
      const { doc: before, raw: rawBefore } = match;
      writer.apply({
        collection,
        rid: row.rid,
        before,
        rawBefore,
        after,
        replaced: update.kind === 'replace',
        fieldChanges,
      });
    }
    outcome.matched += 1;
    outcome.modified += changed ? 1 : 0;
    outcome.before = match.doc;
    outcome.after = after;
    return target.multi;
  });
  if (outcome.matched > 0 || !upsert) return outcome;
  return yield* upsertDocument(writer, target, update, now);
}

const UPSERT_TRIES = 10;

/** Inserts the document of an upsert; if another write inserted its key first and the filter names that key, updates that document instead. */
function* upsertDocument(
  writer: Writer,
  target: StatementTarget,
  update: CompiledUpdate,
  now: Date,
): SlicedBody<UpdateOutcome> {
  for (let tries = 1; ; tries++) {
    yield 'write';
    try {
      const doc = withId(
        update.apply(upsertSeed(target.filter, update.kind), { position: null, inserting: true, now }),
      );
      const collection = yield* attempt(() => {
        const into = writer.collection(target.ns, {});
        if (into) insertDocument(writer, into, doc);
        return into;
      });
      if (collection) return { matched: 0, modified: 0, upsertedId: doc._id, after: doc };
    } catch (error) {
      if (!(error instanceof MongoError) || error.code !== 11000 || tries > UPSERT_TRIES) throw error;
      if (!namesKey(target.filter, error.extra.keyPattern)) throw error;
    }
    const outcome = yield* updateDocuments(writer, target, update, false);
    if (outcome.matched > 0) return outcome;
    if (tries > UPSERT_TRIES) return fail('WriteConflict', 'upsert kept losing against other writers');
  }
}

function namesKey(filter: Doc, keyPattern: unknown): boolean {
  const seed = upsertSeed(filter, 'operators');
  return (
    isDocument(keyPattern) && Object.keys(keyPattern).every((path) => Object.hasOwn(seed, path.split('.')[0] ?? ''))
  );
}

/** Removes the first match, or all of them. Returns how many, and the last one removed. */
export function* removeDocuments(writer: Writer, target: StatementTarget): SlicedBody<{ removed: number; last?: Doc }> {
  const outcome: { removed: number; last?: Doc } = { removed: 0 };
  yield* eachMatch(writer, target, (collection, row, match) => {
    writer.apply({ collection, rid: row.rid, before: match.doc, rawBefore: match.raw });
    outcome.removed += 1;
    outcome.last = match.doc;
    return target.multi;
  });
  return outcome;
}
