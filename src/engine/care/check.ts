// Verifies a data folder: every record can be read, every index has exactly the entries of its records, every counter is right.
import { decode } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';
import type { Engine } from '../engine.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { entriesOf } from '../store/change.js';
import { prefixEnd, prefixOf, ridOfKey } from '../store/keys.js';
import { breathe } from '../store/slices.js';
import type { Row } from '../store/view.js';
import { withFolder } from './open.js';

/** What was found in one collection. */
export interface CollectionReport {
  ns: string;
  records: number;
  indexes: number;
  /** One sentence each; empty when all is well. */
  faults: string[];
}

const BITE = 500;
/** More faults of one collection are only counted. */
const MOST_FAULTS = 20;

/** Checks a folder that nobody serves. Throws DataFolderError when it cannot be opened. */
export function engineCheck(dataDir: string): Promise<CollectionReport[]> {
  return withFolder(dataDir, async (engine) => {
    const reports: CollectionReport[] = [];
    for (const collection of engine.catalog.all()) {
      const { faulty: _, ...report } = await checkCollection(engine, collection);
      reports.push(report);
    }
    return reports;
  });
}

/** What is being found out about one collection. */
interface Findings extends CollectionReport {
  /** Indexes whose entries are not those of the records. */
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

/** Every record of a collection, with pauses. */
export async function* rowsOf(engine: Engine, collection: CollectionInfo): AsyncGenerator<Row> {
  let after: Buffer | undefined;
  for (;;) {
    const rows = engine.latest.records(collection, { reverse: false, limit: BITE, after });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BITE) return;
    after = Buffer.alloc(10);
    after.writeUInt32BE(collection.id, 0);
    after.writeUIntBE(last.rid, 4, 6);
    await breathe();
  }
}

function checkRow(
  engine: Engine,
  collection: CollectionInfo,
  row: Row,
  report: Findings,
  expected: Map<IndexInfo, number>,
): void {
  report.records += 1;
  const doc = readable(row);
  if (!doc) {
    add(report, `record ${row.rid} cannot be read`);
    return;
  }
  for (const index of collection.indexes) {
    const { keys } = entriesOf(index, doc, row.rid);
    expected.set(index, (expected.get(index) ?? 0) + keys.length);
    for (const key of keys) {
      const holder = engine.tables.entries.get(key);
      if (!holder || ridOfKey(holder) !== row.rid) addFault(report, index, `lacks an entry of record ${row.rid}`);
    }
  }
}

function readable(row: Row): Doc | undefined {
  try {
    return decode(row.raw);
  } catch {
    return undefined;
  }
}

function checkCount(engine: Engine, index: IndexInfo, expected: number, report: Findings): void {
  const found = engine.tables.entries.getKeysCount({ start: prefixOf(index.id), end: prefixEnd(index.id) });
  if (found !== expected) addFault(report, index, `has ${found} entries, its records make ${expected}`);
}

function addFault(report: Findings, index: IndexInfo, fault: string): void {
  report.faulty.add(index);
  add(report, `index ${index.name} ${fault}`);
}

function add(report: CollectionReport, fault: string): void {
  if (report.faults.length < MOST_FAULTS) report.faults.push(fault);
  else if (report.faults.length === MOST_FAULTS) report.faults.push('and more');
}
