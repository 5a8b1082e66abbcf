// Sorting of scanned rows: a full sort, the best k under a limit, and the merge of scans that are sorted already.
import { mongoError } from '../errors.js';
import { sortKey } from '../bson/index-keys.js';
import type { PatternField } from '../bson/pattern.js';
import { docOf, type Row } from '../store/view.js';
import { type RowScan, type ScanStats, sumStats } from './scan.js';

/** A row with its sort key and its position in the input: rows with equal keys keep their order. */
interface Keyed {
  key: Buffer;
  order: number;
  row: Row;
}

/** Bytes that one sort may hold (MongoDB's default). */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

function compare(a: Keyed, b: Keyed): number {
  return Buffer.compare(a.key, b.key) || a.order - b.order;
}

/** Reads everything, then returns it in order; with `limit`, holds only the best `limit` rows. */
export class SortScan implements RowScan {
  readonly #child: RowScan;
  readonly #fields: PatternField[];
  readonly #limit: number;
  #rows: Keyed[] = [];
  #bytes = 0;
  #order = 0;
  #ready = false;
  #done = false;

  constructor(child: RowScan, fields: PatternField[], limit?: number) {
    this.#child = child;
    this.#fields = fields;
    this.#limit = limit && limit > 0 ? limit : Number.POSITIVE_INFINITY;
  }

  get stats(): ScanStats {
    return this.#child.stats;
  }

  next(): Row[] | null {
    if (this.#done) return null;
    if (this.#ready) return this.#give();
    const rows = this.#child.next();
    if (rows === null) {
      this.#rows.sort(compare);
      this.#rows = this.#rows.slice(0, this.#limit);
      this.#ready = true;
      return [];
    }
    for (const row of rows) this.#add(row);
    return [];
  }

  #give(): Row[] {
    this.#done = true;
    const rows = this.#rows.map((each) => each.row);
    this.#rows = [];
    return rows;
  }

  #add(row: Row): void {
    const key = sortKey(docOf(row), this.#fields);
    this.#rows.push({ key, order: this.#order++, row: { rid: row.rid, raw: row.raw } });
    this.#bytes += row.raw.length;
    const full = this.#bytes > MAX_SORT_BYTES && this.#rows.length > this.#limit;
    if (full || this.#rows.length >= 2 * this.#limit + 64) this.#shrink();
    if (this.#bytes > MAX_SORT_BYTES) throw tooMuch();
  }

  /** Sorting and halving at twice the limit costs less than a heap. */
  #shrink(): void {
    this.#rows.sort(compare);
    this.#rows = this.#rows.slice(0, this.#limit);
    this.#bytes = this.#rows.reduce((sum, each) => sum + each.row.raw.length, 0);
  }
}

function tooMuch() {
  return mongoError(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Executor error during find command :: caused by :: Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes; this store does not sort on disk, with allowDiskUse neither.`,
  );
}

/** One input of a merge: rows that were read and not yet returned. */
interface Arm {
  scan: RowScan;
  ready: Keyed[];
  ended: boolean;
}

/** Merges scans that are each in the sort's order (one index, several values of its prefix); returns each row once. */
export class MergeScan implements RowScan {
  readonly #arms: Arm[];
  readonly #fields: PatternField[];
  readonly #seen = new Set<number>();

  constructor(scans: RowScan[], fields: PatternField[]) {
    this.#arms = scans.map((scan) => ({ scan, ready: [], ended: false }));
    this.#fields = fields;
  }

  get stats(): ScanStats {
    return sumStats(this.#arms.map((arm) => arm.scan));
  }

  next(): Row[] | null {
    for (const arm of this.#arms) {
      if (arm.ready.length > 0 || arm.ended) continue;
      this.#fill(arm);
      if (arm.ready.length === 0) return [];
    }
    const rows = this.#drain();
    return rows.length === 0 && this.#arms.every((arm) => arm.ended) ? null : rows;
  }

  #fill(arm: Arm): void {
    const rows = arm.scan.next();
    if (rows === null) {
      arm.ended = true;
      return;
    }
    arm.ready = rows.map((row, order) => ({ row, order, key: sortKey(docOf(row), this.#fields) }));
  }

  /** Returns rows until an unfinished arm is empty. */
  #drain(): Row[] {
    const rows: Row[] = [];
    while (this.#arms.every((arm) => arm.ended || arm.ready.length > 0)) {
      let best: Arm | undefined;
      for (const arm of this.#arms)
        if (arm.ready[0] && (!best?.ready[0] || compare(arm.ready[0], best.ready[0]) < 0)) best = arm;
      const first = best?.ready.shift();
      if (!first) break;
      if (this.#seen.has(first.row.rid)) continue;
      this.#seen.add(first.row.rid);
      rows.push(first.row);
    }
    return rows;
  }
}
