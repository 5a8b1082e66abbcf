// Verifies a data folder: records are readable, each index has exactly the entries of its records, counters are correct.
import { decode } from '../bson/codec.js';
import type { Engine } from '../engine.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { entriesOf } from '../store/change.js';
import { prefixEnd, prefixOf, recordKey, ridOfKey } from '../store/keys.js';
import { breathe } from '../store/slices.js';
import { docOf, type Row } from '../store/view.js';
import { withFolder } from './open.js';

/** The result for one collection. */
export interface CollectionReport {
  ns: string;
  records: number;
  indexes: number;
  /** One sentence for each fault; empty if there is none. */
  faults: string[];
}

const CHUNK = 500;
/** Further faults of a collection are only counted. */
const MAX_FAULTS = 20;

/** Checks a folder that no process serves. Throws DataFolderError when it cannot be opened. */
export function checkFolder(dataDir: string): Promise<CollectionReport[]> {
  return withFolder(dataDir, checkCollections, { everyPage: true });
}

async function checkCollections(engine: Engine): Promise<CollectionReport[]> {
  const reports: CollectionReport[] = [];
  for (const collection of engine.catalog.all()) {
    const { faulty: _, ...report } = await checkCollection(engine, collection);
    reports.push(report);
  }
  return reports;
}

/** The check of one collection, in progress. */
interface Findings extends CollectionReport {
  /** Indexes with missing or surplus entries. */
  faulty: Set<IndexInfo>;
}

/** Checks one collection of an open engine. */
export async function checkCollection(engine: Engine, collection: CollectionInfo): Promise<Findings> {
  const { ns, indexes } = collection;
  const report: Findings = { ns, records: 0, indexes: indexes.length, faults: [], faulty: new Set() };
  const expected = new Map(collection.indexes.map((index) => [index, 0]));
  for await (const row of rowsOf(engine, collection)) checkRow(engine, collection, row, report, expected);
  for (const [index, count] of expected) checkCount(engine, index, count, report);
  for (const index of indexes) if (!index.whole) addFault(report, index, 'is not used: documents share a unique key');
  if (report.records !== collection.count) {
    add(report, `the counter says ${collection.count} documents, there are ${report.records}`);
  }
  return report;
}

/** A record, read for a check; without a row if its checksum does not match. */
export interface CareRow {
  rid: number;
  row: Row | undefined;
}

/** Every record of a collection, with pauses. */
export async function* rowsOf(engine: Engine, collection: CollectionInfo): AsyncGenerator<CareRow> {
  let after: Buffer | undefined;
  for (;;) {
    const stored = engine.latest.stored(collection, { reverse: false, limit: CHUNK, after });
    yield* stored.map((each) => readable(engine, each));
    const last = stored.at(-1);
    if (!last || stored.length < CHUNK) return;
    after = recordKey(collection.id, last.rid);
    await breathe();
  }
}

function readable({ tables }: Engine, { rid, value }: { rid: number; value: Buffer }): CareRow {
  try {
    const raw = tables.packed.bsonOf(value);
    return { rid, row: { rid, raw, doc: decode(raw) } };
  } catch {
    return { rid, row: undefined };
  }
}

function checkRow(
  engine: Engine,
  collection: CollectionInfo,
  { rid, row }: CareRow,
  report: Findings,
  expected: Map<IndexInfo, number>,
): void {
  report.records += 1;
  if (!row) {
    add(report, `record ${rid} cannot be read: its bytes were changed`);
    return;
  }
  for (const index of collection.indexes) {
    const { keys } = entriesOf(index, docOf(row), rid);
    expected.set(index, (expected.get(index) ?? 0) + keys.length);
    for (const key of keys) {
      const holder = engine.tables.entries.get(key);
      if (!holder || (index.unique && ridOfKey(holder) !== rid))
        addFault(report, index, `lacks an entry of record ${rid}`);
    }
  }
}

function checkCount(engine: Engine, index: IndexInfo, expected: number, report: Findings): void {
  const count = engine.tables.entries.getKeysCount({ start: prefixOf(index.id), end: prefixEnd(index.id) });
  if (count !== expected) addFault(report, index, `has ${count} entries, its records make ${expected}`);
}

function addFault(report: Findings, index: IndexInfo, fault: string): void {
  report.faulty.add(index);
  add(report, `index ${index.name} ${fault}`);
}

function add(report: CollectionReport, fault: string): void {
  if (report.faults.length < MAX_FAULTS) report.faults.push(fault);
  else if (report.faults.length === MAX_FAULTS) report.faults.push('and more');
}
