// The effects of one document's change, computed before anything is written: the index entries to remove and to add, and the oplog event.
import { bytesOf, hasNumberNames, toOrderedBytes, withIdBytes } from '../bson/raw.js';
import { type Doc, getOwn } from '../bson/types.js';
import { type FieldChange, updateDescription } from '../update/diff.js';
import type { CollectionInfo, IndexInfo } from './catalog.js';
import { disambiguatedPaths } from './disambiguate.js';
import { type DocumentKeys, documentKeys, hasPlainKey, MAX_VALUE_BYTES } from '../bson/index-keys.js';
import { entryFrame } from './keys.js';
import type { OplogEvent } from './oplog.js';

/** A document before and after; one of them is missing for insert and delete. */
export interface Change {
  collection: CollectionInfo;
  rid: number;
  before?: Doc;
  after?: Doc;
  /** Bytes of `before`, and of `after` if the caller has them. */
  rawBefore?: Buffer;
  rawAfter?: Buffer;
  /** The whole document was replaced (change streams distinguish that from an update). */
  replaced?: boolean;
  /** The changes that the update's operators report. */
  fieldChanges?: readonly FieldChange[];
}

/** An index entry to add or remove. */
export interface IndexEntryChange {
  index: IndexInfo;
  key: Buffer;
  add: boolean;
}

/** Entry changes, and their consequences for whole indexes. */
export interface EntryDiff {
  changes: IndexEntryChange[];
  /** Indexes whose one entry of an inserted document is made at the commit; only in transactions. */
  deferred: IndexInfo[];
  /** Indexes with new array paths or a first long key. */
  widen: { index: IndexInfo; multikey: string[]; longKeys: boolean }[];
}

/** The keys of a document's entries in one index, and what they say of the index. */
type Entries = Pick<DocumentKeys, 'keys' | 'multikey' | 'long'>;

const NONE: Entries = { keys: [], multikey: [], long: false };

/** Entries of one document in one index; none when a partial or sparse index leaves it out. */
export function entriesOf(index: IndexInfo, doc: Doc, rid: number): Entries {
  return index.covers(doc) ? coveredEntriesOf(index, doc, rid) : NONE;
}

/** Entries of one document in an index that covers it. */
export function coveredEntriesOf(index: IndexInfo, doc: Doc, rid: number): Entries {
  const frame = entryFrame(index.id, index.unique ? null : rid);
  return documentKeys(doc, index, { limit: MAX_VALUE_BYTES, frame, packed: index.packed });
}

/**
 * The entries to remove and to add, for all indexes of the collection. `defers`: of an inserted document, only those of
 * unique indexes, and of indexes that it has several entries in; the others cannot conflict or fail.
 */
export function diffEntries(change: Change, defers = false): EntryDiff {
  const diff: EntryDiff = { changes: [], deferred: [], widen: [] };
  const inserted = defers && !change.before ? change.after : undefined;
  if (inserted) diffInserted(inserted, change, diff);
  else for (const index of change.collection.indexes) diffIndex(index, change, diff);
  return diff;
}

function diffInserted(doc: Doc, change: Change, diff: EntryDiff): void {
  // Indexes of one collection often have the same filter.
  let filter: string | undefined;
  let isCovered = true;
  for (const index of change.collection.indexes) {
    if (index.filter !== filter) {
      filter = index.filter;
      isCovered = index.covers(doc);
    }
    if (!isCovered) continue;
    if (!index.unique && hasPlainKey(doc, index)) diff.deferred.push(index);
    else diffIndex(index, change, diff);
  }
}

function diffIndex(index: IndexInfo, change: Change, diff: EntryDiff): void {
  if (change.before && change.after && hasSameEntries(index, change.before, change.after)) return;
  const old = change.before ? entriesOf(index, change.before, change.rid).keys : NONE.keys;
  const fresh = change.after ? entriesOf(index, change.after, change.rid) : NONE;
  for (const key of old) if (!has(fresh.keys, key)) diff.changes.push({ index, key, add: false });
  for (const key of fresh.keys) if (!has(old, key)) diff.changes.push({ index, key, add: true });
  const multikey = fresh.multikey.length === 0 ? [] : fresh.multikey.filter((path) => !index.multikey.has(path));
  const longKeys = fresh.long && !index.longKeys;
  if (multikey.length > 0 || longKeys) diff.widen.push({ index, multikey, longKeys });
}

/** Whether all fields that the index reads are identical objects. (Updates copy only the fields that they change.) */
function hasSameEntries(index: IndexInfo, before: Doc, after: Doc): boolean {
  if (index.name === '_id_') return true;
  return index.reads?.every((field) => Object.is(getOwn(before, field), getOwn(after, field))) === true;
}

function has(keys: readonly Buffer[], target: Buffer): boolean {
  return keys.length > 0 && keys.some((key) => key.equals(target));
}

/** The oplog event of a change. */
export function eventOf(change: Change): OplogEvent {
  const { before, after, collection } = change;
  const { ns, uuid } = collection;
  const key = { _id: (after ?? before)?._id };
  if (!after) return { op: 'd', ns, uuid, key, o: key };
  if (!before) return { op: 'i', ns, uuid, key, o: bytesAfter(change) };
  if (change.replaced) return { op: 'r', ns, uuid, key, o: bytesAfter(change) };
  const description = updateDescription(before, after, change.fieldChanges);
  const paths = disambiguatedPaths(description, before, after);
  return { op: 'u', ns, uuid, key, o: { ...description, disambiguatedPaths: paths } };
}

/** Bytes of the document as it will be stored. */
export function bytesAfter(change: Change): Buffer {
  const { after = {}, replaced, rawBefore } = change;
  if (change.rawAfter) return change.rawAfter;
  const raw = bytesOf(after) ?? toOrderedBytes(after, replaced ? undefined : rawBefore);
  change.rawAfter = replaced && rawBefore && hasNumberNames(after._id) ? withIdBytes(raw, rawBefore) : raw;
  return change.rawAfter;
}
