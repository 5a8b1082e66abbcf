// Oplog entries as change events (MongoDB manual, "Change Events").
import type { Timestamp } from 'bson';
import { type Doc, isDocument } from '../bson/types.js';
import { toToken } from './resume-token.js';
import { toTimestamp } from '../store/clock.js';
import type { OplogEntry } from '../store/oplog.js';

/** The scope of a stream. */
export interface StreamScope {
  /** Undefined: the whole deployment. */
  db?: string;
  /** Undefined: the whole database. */
  collection?: string;
  /** Also create, createIndexes, dropIndexes, with UUIDs and descriptions. */
  expanded: boolean;
}

/** Whether an entry with this `op` and `ns` is in the scope. */
export function isInScope(doc: Doc, scope: StreamScope): boolean {
  if (doc.op === 'n') return false;
  const { db, coll } = namespaceOf(doc);
  if (scope.db !== undefined && db !== scope.db) return false;
  if (scope.db === undefined && (db === 'admin' || db === 'local' || db === 'config')) return false;
  if (scope.collection === undefined) return true;
  return coll === scope.collection;
}

function namespaceOf(doc: Doc): { db: string; coll: string } {
  const ns = String(doc.ns);
  const dot = ns.indexOf('.');
  return { db: ns.slice(0, dot), coll: ns.slice(dot + 1) };
}

/** Whether the stream ends after this entry's event. */
export function invalidates(entry: OplogEntry, scope: StreamScope): boolean {
  if (entry.doc.op !== 'c' || !isDocument(entry.doc.o)) return false;
  if (scope.collection !== undefined) return entry.doc.o.drop !== undefined;
  return scope.db !== undefined && entry.doc.o.dropDatabase !== undefined;
}

const NAMES: Record<string, string> = { i: 'insert', u: 'update', r: 'replace', d: 'delete' };
/** Commands whose events every stream shows; others only with showExpandedEvents. */
const COMMANDS: readonly string[] = ['drop', 'dropDatabase'];
const EXPANDED_COMMANDS: readonly string[] = ['create', 'createIndexes', 'dropIndexes'];

function operationOf(entry: OplogEntry, scope: StreamScope): string | undefined {
  const { op, o } = entry.doc;
  if (op !== 'c') return NAMES[String(op)];
  const command = Object.keys(isDocument(o) ? o : {})[0] ?? '';
  if (COMMANDS.includes(command)) return command;
  return scope.expanded && EXPANDED_COMMANDS.includes(command) ? command : undefined;
}

/** The change event of an entry, without a looked-up document; undefined if it is not in the scope. */
export function eventOf(entry: OplogEntry, scope: StreamScope): Doc | undefined {
  const operationType = operationOf(entry, scope);
  if (operationType === undefined) return undefined;
  const { doc } = entry;
  const { db, coll } = namespaceOf(doc);
  return {
    _id: toToken({ ts: entry.ts, index: entry.index, kind: 'event' }),
    operationType,
    clusterTime: toTimestamp(entry.ts),
    ...(scope.expanded && doc.ui !== undefined ? { collectionUUID: doc.ui } : {}),
    wallTime: doc.wall,
    ...authorOf(doc),
    ...(doc.op === 'i' || doc.op === 'r' ? { fullDocument: doc.o } : {}),
    ns: operationType === 'dropDatabase' ? { db } : { db, coll },
    ...(doc.o2 !== undefined ? { documentKey: doc.o2 } : {}),
    ...(doc.op === 'u' ? { updateDescription: describeUpdate(doc.o, scope) } : {}),
    ...(scope.expanded && EXPANDED_COMMANDS.includes(operationType)
      ? { operationDescription: descriptionOf(doc.o) }
      : {}),
  };
}

function authorOf(doc: Doc): Doc {
  return doc.txnNumber === undefined ? {} : { lsid: doc.lsid, txnNumber: doc.txnNumber };
}

function describeUpdate(o: unknown, scope: StreamScope): Doc {
  if (!isDocument(o) || scope.expanded) return isDocument(o) ? o : {};
  const { disambiguatedPaths: _, ...description } = o;
  return description;
}

function descriptionOf(o: unknown): Doc {
  if (!isDocument(o)) return {};
  const { create, createIndexes, dropIndexes, options, ...spec } = o;
  if (create !== undefined) return isDocument(options) ? options : {};
  return createIndexes !== undefined || dropIndexes !== undefined ? { indexes: [spec] } : {};
}

/** The event that ends a stream. */
export function invalidateEvent(entry: OplogEntry): Doc {
  const clusterTime: Timestamp = toTimestamp(entry.ts);
  return {
    _id: toToken({ ts: entry.ts, index: entry.index, kind: 'invalidate' }),
    operationType: 'invalidate',
    clusterTime,
    wallTime: entry.doc.wall,
  };
}
