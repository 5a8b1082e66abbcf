// Verifies every page of a data file before lmdb maps it: the two meta pages, the list of free pages and all trees.
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { type Meta, META, metaIn, PageFile, readMeta } from './page-file.js';
import { PageFault, readTreeHead, type TreeHead, type TreeRow, TreeWalk } from './page-tree.js';

/** Mask of the flags that describe a tree's keys: the free list's are integers, and all other trees have no flags. */
const KEY_FLAGS = 0xff;
const FREE_FLAGS = 8;
/** In the flags of a meta page: its transaction may not be on disk yet. */
export const UNFLUSHED = 0x1000;
const MIN_PAGE = 4096;
const MAX_PAGE = 65536;
const TRANSACTION_IN_PAGE = 8;

/** Receives the rows of the tables, in key order within each table. */
export interface RowVisitor {
  row(table: string, row: TreeRow): void;
  /** The fault of the rows as a whole, if there is one. */
  fault(): string | undefined;
}

/** A state of an open data file, whose pages are whole. */
export interface FileState {
  file: number;
  meta: Meta;
  pages: PageFile;
  tables: ReadonlyMap<string, TreeHead>;
  freePages: number;
}

/**
 * The fault of a data file's pages, or of its rows according to `visitor`, in a few words; undefined if there is none.
 * The file must not change meanwhile.
 */
export function pageFault(path: string, visitor: () => RowVisitor | undefined): string | undefined {
  const file = openSync(path, 'r');
  try {
    let fault: string | undefined;
    for (const start of startingPoints(file)) {
      const rows = visitor();
      fault = faultOf(() => void readState(file, start, rows)) ?? rows?.fault();
      if (fault === undefined) return undefined;
    }
    return fault;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Bytes of a data file's free pages; 0 when they cannot be read. The file may change meanwhile. lmdb does not yet use
 * the pages that the last transaction freed. `oldestReader`: the oldest transaction that is being read; pages that it or
 * a later one freed do not count.
 */
export function freeBytes(path: string, oldestReader = Number.POSITIVE_INFINITY): number {
  let bytes = 0;
  if (!existsSync(path)) return 0;
  const file = openSync(path, 'r');
  try {
    const [first, second] = [readMeta(file, 0), readMeta(file, MIN_PAGE)];
    const meta = first.transaction > second.transaction ? first : second;
    const pages = new PageFile(file, meta);
    new TreeWalk(pages, meta.free, ({ key, value }) => {
      if (key.readBigUInt64LE() >= oldestReader) return;
      for (const { count } of freeRuns(value())) bytes += Number(count) * meta.pageSize;
    }).run();
    return Math.min(bytes, pages.lastPage * meta.pageSize);
  } catch {
    return 0;
  } finally {
    closeSync(file);
  }
}

function faultOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

/** Reads every page of a state, except for the values of long rows, and its rows through `visitor`. Throws PageFault. */
export function readState(file: number, meta: Meta, visitor?: RowVisitor): FileState {
  try {
    return verify(file, meta, visitor);
  } catch (error) {
    // The bytes point outside their page.
    if (error instanceof RangeError) throw new PageFault('a row ends outside of its page', { cause: error });
    throw error;
  }
}

function verify(file: number, meta: Meta, visitor: RowVisitor | undefined): FileState {
  const pages = new PageFile(file, meta);
  if (meta.main.flags !== 0 || (meta.free.flags & KEY_FLAGS) !== FREE_FLAGS)
    throw new PageFault('a meta page has unknown flags');
  if (!meta.isFirst) requireNewest(pages, meta);
  const tables = tablesOf(pages, meta.main);
  for (const [name, head] of tables) {
    const visit = (row: TreeRow): void => {
      if (row.subtree) throw new PageFault('a row is a table');
      visitor?.row(name, row);
    };
    new TreeWalk(pages, head, visit).run();
  }
  const free: Buffer[] = [];
  new TreeWalk(pages, meta.free, (row) => void free.push(Buffer.from(row.value()))).run();
  let freePages = 0;
  for (const { first, count } of free.flatMap((list) => [...freeRuns(list)])) {
    pages.requireUnused(first, count);
    freePages += Number(count);
  }
  return { file, meta, pages, tables, freePages };
}

/** Every transaction rewrites the root page of the tables. */
function requireNewest(pages: PageFile, { main, transaction }: Meta): void {
  if (main.depth > 0 && pages.header(Number(main.root)).readBigUInt64LE(TRANSACTION_IN_PAGE) !== transaction)
    throw new PageFault('its newest transaction is missing');
}

/** The tables by name. */
function tablesOf(pages: PageFile, main: TreeHead): Map<string, TreeHead> {
  const tables = new Map<string, TreeHead>();
  new TreeWalk(pages, main, ({ key, subtree, value }) => {
    const head = subtree ? readTreeHead(value(), 0) : undefined;
    if (head?.flags !== 0) throw new PageFault('a table has unknown flags');
    tables.set(key.toString('latin1').replace(/\0$/, ''), head);
  }).run();
  return tables;
}

/** A row of the free list: the count of numbers, then page numbers; 0 is unused, and -n precedes the first of n consecutive pages. */
function* freeRuns(list: Buffer): Generator<{ first: bigint; count: bigint }> {
  const length = list.length >= 8 ? list.readBigInt64LE(0) : -1n;
  if (length < 0n || length > BigInt(list.length / 8 - 1))
    throw new PageFault('the list of free pages has no such length');
  let count = 1n;
  for (let i = 1; i <= Number(length); i++) {
    const entry = list.readBigInt64LE(8 * i);
    if (entry < 0n && count === 1n) count = -entry;
    else if (entry !== 0n) {
      yield { first: entry, count };
      count = 1n;
    }
  }
}

/**
 * The meta pages from which lmdb may continue: the newest, or after a reboot the newest that was flushed. Both, if the
 * system does not show whether it rebooted.
 */
export function startingPoints(file: number): Meta[] {
  const first = readMeta(file, 0);
  const { pageSize } = first;
  if (pageSize < MIN_PAGE || pageSize > MAX_PAGE || pageSize & (pageSize - 1))
    throw new PageFault('its pages have an impossible size');
  const second = readMeta(file, pageSize);
  if (second.pageSize !== pageSize) throw new PageFault('its meta pages disagree about the size of pages');
  const flushed = readMeta(file, pageSize / 2);
  const { older, newer } = byAge(first, second);
  requireTransactions(first.transaction, second.transaction, flushed.transaction);
  const boot = thisBoot();
  if (newer.boot === boot || !(newer.free.flags & UNFLUSHED)) return [newer];
  const onDisk = flushed.transaction === 0n ? older : flushed;
  return boot === undefined ? [newer, onDisk] : [onDisk];
}

function byAge(first: Meta, second: Meta): { older: Meta; newer: Meta } {
  const [older, newer] = first.transaction < second.transaction ? [first, second] : [second, first];
  newer.isFirst = older.transaction === 0n;
  return { older, newer };
}

/** The newest state of a file that another process writes. A meta page may be half written: both are read until two reads agree. */
export function newestMeta(file: number): Meta {
  const { pageSize } = readMeta(file, 0);
  const [bytes, again] = [Buffer.alloc(pageSize + META.bytes), Buffer.alloc(pageSize + META.bytes)];
  do {
    readSync(file, bytes, 0, bytes.length, 0);
    readSync(file, again, 0, again.length, 0);
  } while (!bytes.equals(again));
  return byAge(metaIn(bytes, 0), metaIn(bytes, pageSize)).newer;
}

/** Transaction N writes meta page N % 2 and, after its flush, a third one. In a new file or a copy, the first page has no transaction yet. */
function requireTransactions(first: bigint, second: bigint, flushed: bigint): void {
  const [newer, apart] = first > second ? [first, first - second] : [second, second - first];
  if (first !== 0n && (apart !== 1n || first % 2n !== 0n))
    throw new PageFault('its meta pages do not follow each other');
  if (flushed > newer) throw new PageFault('its newest meta page is missing');
}

/** The machine's boot id, as lmdb reads it; undefined if the system has none. */
function thisBoot(): bigint | undefined {
  try {
    return BigInt(`0x${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)}`);
  } catch {
    return undefined;
  }
}
