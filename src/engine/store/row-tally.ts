// Counts the rows of a data file and compares them with its catalog, which detects rows that are lost or have wrong
// keys.
import { decode } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { checkedBson } from './checksum.js';
import {
  BUILD_TAG,
  COLLECTION_TAG,
  DICTIONARY_TAG,
  GARBAGE_TAG,
  NEVER,
  NEXT_ID_KEY,
  RID_BYTES,
  ridOfKey,
  STATS_TAG,
  TRIMMED_KEY,
} from './keys.js';
import { isLong, LONG_ROW_BYTES, longId, pieceOf } from './long-documents.js';
import { PageFault, type TreeRow } from './page-tree.js';
import type { RowVisitor } from './pages.js';

/** Records of one collection, or entries of one index. */
interface Tally {
  id: number;
  count: number;
  /** Sum of the hashes of the record ids: equal for a collection and an index with one entry for each record. */
  sum: number;
  /** The record ids in an entry's key and value differ. Always true for unique indexes, whose keys have none. */
  isMixed: boolean;
}

/** An index as the catalog describes it. */
interface StoredIndex {
  id: number;
  name: string;
  unique: boolean;
  /** It has one entry for each record. */
  isComplete: boolean;
}

interface StoredCollection {
  id: number;
  ns: string;
  indexes: StoredIndex[];
}

/** A position, and of a block of entries the number of the piece. */
const OPLOG_KEY_BYTES = [12, 13];
const SESSION_KEY_BYTES = 16;
/** Keys of the catalog that contain an id, by first letter: those of collections, dictionaries, counters, builds and garbage. */
const TAGGED = [COLLECTION_TAG, DICTIONARY_TAG, STATS_TAG, BUILD_TAG, GARBAGE_TAG].map((tag) => tag.toString());
const NAMED = [NEXT_ID_KEY, TRIMMED_KEY].map((key) => key.toString());

/** Counts the rows of all tables; for folders of the present format, whose indexes are whole. */
export class RowTally implements RowVisitor {
  readonly #records = new Map<number, Tally>();
  readonly #entries = new Map<number, Tally>();
  readonly #catalog = new Map<string, Buffer>();
  #oldest: Buffer | undefined;
  /** Sum of the hashes of the ids of long documents that rows refer to, without those that are stored. */
  #longSum = 0;
  #last: Tally | undefined;

  row(table: string, row: TreeRow): void {
    const { key } = row;
    if (table === 'records') this.#record(row);
    else if (table === 'long') this.#long(row);
    else if (table === 'entries') this.#entry(key, row.value());
    else if (table === 'catalog') this.#catalog.set(key.toString('latin1'), Buffer.from(row.value()));
    else if (table === 'oplog') this.#oplogEntry(key);
    else if (table === 'sessions') requireSession(key, row.value());
    else throw new PageFault('it has an unknown table');
  }

  #record({ key, size, value }: TreeRow): void {
    this.#count(this.#records, key, key.length === 4 + RID_BYTES ? ridOfKey(key) : -1);
    if (size === LONG_ROW_BYTES) this.#refer(value());
  }

  /** A piece, or the reference of the oplog to a document that has no record any more. */
  #long({ key, value }: TreeRow): void {
    const piece = pieceOf(key);
    if (!piece) this.#refer(value());
    else if (piece.piece === 0) this.#longSum = (this.#longSum - hashOf(piece.id)) | 0;
  }

  #refer(row: Buffer): void {
    if (isLong(row)) this.#longSum = (this.#longSum + hashOf(longId(row))) | 0;
  }

  #count(tallies: Map<number, Tally>, key: Buffer, rid: number): Tally {
    if (key.length < 4 || rid < 0) throw new PageFault('a row has an impossible key');
    const id = key.readUInt32BE(0);
    if (this.#last?.id !== id || tallies.get(id) !== this.#last) {
      this.#last = tallies.get(id) ?? { id, count: 0, sum: 0, isMixed: false };
      tallies.set(id, this.#last);
    }
    this.#last.count += 1;
    this.#last.sum = (this.#last.sum + hashOf(rid)) | 0;
    return this.#last;
  }

  #entry(key: Buffer, value: Buffer): void {
    // Without a value, the key contains the record id. Up to format 4, every entry had a value.
    const named = value.length === 0 ? key : value;
    const tally = this.#count(this.#entries, key, named.length >= RID_BYTES ? ridOfKey(named) : -1);
    if (value.length > 0)
      tally.isMixed ||= key.length < 4 + RID_BYTES || Buffer.compare(key.subarray(-RID_BYTES), value) !== 0;
  }

  #oplogEntry(key: Buffer): void {
    if (!OPLOG_KEY_BYTES.includes(key.length)) throw new PageFault('an oplog entry has an impossible key');
    this.#oldest ??= Buffer.from(key);
  }

  fault(): string | undefined {
    try {
      return this.#catalogFault();
    } catch {
      return 'its catalog cannot be read';
    }
  }

  #catalogFault(): string | undefined {
    const collections: StoredCollection[] = [];
    /** Every id that rows may have: those of collections, indexes, unfinished builds and garbage. */
    const ids = new Set<number>();
    for (const [key, value] of this.#catalog) {
      if (NAMED.includes(key)) continue;
      const [tag = '', id] = [key[0], Buffer.from(key, 'latin1').readUInt32BE(1)];
      if (key.length !== 5 || !TAGGED.includes(tag)) return 'its catalog has a row that is none';
      if (tag === STATS_TAG.toString()) continue;
      const collection = tag === COLLECTION_TAG.toString() ? collectionOf(decode(checkedBson(value))) : undefined;
      if (collection) collections.push(collection);
      if (collection && collection.id !== id) return 'its catalog has a row with the key of another';
      for (const each of [id, ...(collection?.indexes ?? []).map((index) => index.id)]) {
        if (ids.has(each)) return 'its catalog has an id twice';
        ids.add(each);
      }
    }
    if (this.#longSum !== 0) return 'its long documents are not those of its records';
    return this.#idFault(ids) ?? this.#oplogFault() ?? first(collections, (each) => this.#collectionFault(each));
  }

  #idFault(ids: Set<number>): string | undefined {
    if ([...this.#records.keys(), ...this.#entries.keys()].some((id) => !ids.has(id)))
      return 'it has rows of no collection or index';
    const next = this.#catalog.get(NEXT_ID_KEY.toString())?.readUInt32BE(0) ?? 1;
    return [...ids].some((id) => id >= next) ? 'its catalog counts ids wrongly' : undefined;
  }

  /** Trimmed entries must be older than the remaining ones. */
  #oplogFault(): string | undefined {
    const trimmed = this.#catalog.get(TRIMMED_KEY.toString());
    if (!this.#oldest) return this.#records.size > 0 ? 'its oplog is empty' : undefined;
    return trimmed && Buffer.compare(trimmed, this.#oldest) >= 0 ? 'its oplog begins too early' : undefined;
  }

  #collectionFault({ id, ns, indexes }: StoredCollection): string | undefined {
    const records = this.#records.get(id) ?? { count: 0, sum: 0 };
    const counter = this.#catalog.get(`${STATS_TAG}${idText(id)}`)?.readDoubleBE(0) ?? 0;
    if (counter !== records.count) return `${ns} has ${records.count} documents, its counter says ${counter}`;
    return first(indexes, (index) => {
      const entries = this.#entries.get(index.id) ?? { count: 0, sum: 0, isMixed: false };
      const differs = index.isComplete && (entries.count !== records.count || entries.sum !== records.sum);
      const isMixed = !index.unique && entries.isMixed;
      return differs || isMixed ? `the index ${index.name} of ${ns} is not that of its documents` : undefined;
    });
  }
}

function first<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function idText(id: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.toString('latin1');
}

/** A stored session's value contains its key. */
function requireSession(key: Buffer, value: Buffer): void {
  if (key.length !== SESSION_KEY_BYTES || !value.includes(key)) throw new PageFault('a session has the key of another');
}

function collectionOf(stored: Doc): StoredCollection {
  const indexes = Array.isArray(stored.indexes) ? stored.indexes.filter(isDocument).map(indexOf) : [];
  return { id: Number(stored.id), ns: String(stored.ns), indexes };
}

function indexOf({ id, spec, multikey, since }: Doc): StoredIndex {
  const { name, unique, sparse, partialFilterExpression } = isDocument(spec) ? spec : {};
  const isWhole = String(since) !== NEVER.toString();
  const isArray = Array.isArray(multikey) && multikey.length > 0;
  return {
    id: Number(id),
    name: String(name),
    unique: unique === true || name === '_id_',
    isComplete: isWhole && !isArray && sparse !== true && partialFilterExpression === undefined,
  };
}

/** Hashes a record id to 32 bits, so that sums of different ids differ. */
function hashOf(rid: number): number {
  const mixed = Math.imul((rid % 0x1_0000_0000) ^ Math.floor(rid / 0x1_0000_0000), 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
}
