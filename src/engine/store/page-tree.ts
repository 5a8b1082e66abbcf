// Verifies a tree of pages in the data file without lmdb, which trusts the mapped file: it would crash on a damaged page, or silently skip rows.
// The format is that of lmdb-js (mdb.c: MDB_page_header, MDB_node, MDB_db).

/** The data file as numbered pages. */
export interface PageSource {
  readonly pageSize: number;
  /** Number of the last transaction; no page is newer. */
  readonly transaction: bigint;
  /** A page; valid until the next call. */
  page(number: number): Buffer;
  /** The header of a page; valid until the next call. */
  header(number: number): Buffer;
  /** Successive pages. */
  pages(number: number, count: number): Buffer;
  /** Records that pages are in use. Throws PageFault if one is already in use or does not exist. */
  use(number: number, count: number): void;
}

/** Thrown for a damaged page: one that lmdb cannot have written. */
export class PageFault extends Error {}

/** The description of a tree (MDB_db). */
export interface TreeHead {
  flags: number;
  depth: number;
  branchPages: bigint;
  leafPages: bigint;
  overflowPages: bigint;
  entries: bigint;
  root: bigint;
}

/** Bytes of a tree's description. */
export const TREE_HEAD_BYTES = 48;
/** `root` of an empty tree. */
const NO_PAGE = 0xffffffffffffffffn;
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const OVERFLOW_POINTER_BYTES = 24;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const IN_OVERFLOW = 1;
const SUBTREE = 2;
/** Flag of trees whose keys are native integers; only the tree of free pages has it. */
const INTEGER_KEYS = 8;
const MAX_DEPTH = 32;

/** Reads a tree's description. */
export function readTreeHead(bytes: Buffer, at: number): TreeHead {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: bytes.readBigUInt64LE(at + 8),
    leafPages: bytes.readBigUInt64LE(at + 16),
    overflowPages: bytes.readBigUInt64LE(at + 24),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  };
}

/** A row of a tree. `subtree`: the value is the description of another tree. The row's bytes are valid until the visitor returns. */
export interface TreeRow {
  key: Buffer;
  subtree: boolean;
  /** Bytes of the value. */
  size: number;
  value(): Buffer;
}

/** Keys that a page may hold: from `low` up to, but not including, `high`. */
interface Bounds {
  low?: Buffer;
  high?: Buffer;
  /** Number of the transaction that wrote the parent. A transaction that changes a page also changes its parent. */
  transaction: bigint;
}

/** Walks one tree. */
export class TreeWalk {
  readonly #pages: PageSource;
  readonly #head: TreeHead;
  readonly #visit: (row: TreeRow) => void;
  readonly #compare: (a: Buffer, b: Buffer) => number;
  readonly #counts = { branch: 0n, leaf: 0n, overflow: 0n, entries: 0n };

  constructor(pages: PageSource, head: TreeHead, visit: (row: TreeRow) => void) {
    this.#pages = pages;
    this.#head = head;
    this.#visit = visit;
    this.#compare = head.flags & INTEGER_KEYS ? compareIntegers : Buffer.compare;
  }

  /** Visits every row in the order of keys. Throws PageFault for anything that lmdb does not write. */
  run(): void {
    const { depth, root } = this.#head;
    if (depth > MAX_DEPTH || (root === NO_PAGE) !== (depth === 0)) throw new PageFault('a tree has no such depth');
    if (depth > 0) this.#page(pageNumber(root), 1, { transaction: this.#pages.transaction });
    const { branchPages, leafPages, overflowPages, entries } = this.#head;
    const { branch, leaf, overflow, entries: rows } = this.#counts;
    if (branch !== branchPages || leaf !== leafPages || overflow !== overflowPages || rows !== entries)
      throw new PageFault('a tree does not have as many pages and rows as it says');
  }

  #page(number: number, level: number, bounds: Bounds): void {
    this.#pages.use(number, 1);
    const isLeaf = level === this.#head.depth;
    // A branch page is in use while the pages below it are read, so it needs a buffer of its own.
    const page = isLeaf ? this.#pages.page(number) : this.#pages.pages(number, 1);
    const transaction = requireHeader(page, number, isLeaf ? LEAF : BRANCH);
    if (transaction > bounds.transaction) throw new PageFault(`page ${number} is newer than the one that points to it`);
    const nodes = this.#nodes(page, number, isLeaf);
    if (isLeaf) this.#leaf(page, number, nodes, bounds);
    else this.#branch(page, number, nodes, level, { ...bounds, transaction });
  }

  /** The offsets of the nodes. The nodes fill the page's upper part exactly. */
  #nodes(page: Buffer, number: number, isLeaf: boolean): number[] {
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const { pageSize } = this.#pages;
    const count = lower >> 1;
    if (lower % 2 || lower > upper || upper > pageSize - HEADER_BYTES || count < (isLeaf ? 1 : 2))
      throw new PageFault(`page ${number} has impossible bounds`);
    const nodes: number[] = [];
    let used = 0;
    for (let i = 0; i < count; i++) {
      const at = page.readUInt16LE(HEADER_BYTES + 2 * i) + HEADER_BYTES;
      if (at % 2 || at < HEADER_BYTES + upper || at + NODE_BYTES > pageSize)
        throw new PageFault(`page ${number} points outside itself`);
      const size = nodeBytes(page, at, isLeaf);
      if (at + size > pageSize) throw new PageFault(`a row of page ${number} ends outside of it`);
      used += size + (size % 2);
      nodes.push(at);
    }
    if (used !== pageSize - HEADER_BYTES - upper) throw new PageFault(`page ${number} has gaps between its rows`);
    return nodes;
  }

  #branch(page: Buffer, number: number, nodes: number[], level: number, bounds: Bounds): void {
    this.#counts.branch += 1n;
    let { low } = bounds;
    for (const [i, at] of nodes.entries()) {
      const next = nodes[i + 1];
      const high = next === undefined ? bounds.high : keyAt(page, next);
      if (low && high && this.#compare(low, high) >= 0) throw new PageFault(`page ${number} is not in order`);
      this.#page(page.readUIntLE(at, 6), level + 1, { low, high, transaction: bounds.transaction });
      low = high;
    }
  }

  #leaf(page: Buffer, number: number, nodes: number[], { low, high }: Bounds): void {
    this.#counts.leaf += 1n;
    let before: Buffer | undefined;
    for (const at of nodes) {
      const key = keyAt(page, at);
      const isLate = before ? this.#compare(before, key) >= 0 : low !== undefined && this.#compare(low, key) > 0;
      if (isLate || key.length === 0) throw new PageFault(`page ${number} is not in order`);
      before = key;
      this.#counts.entries += 1n;
      this.#row(page, number, at, key);
    }
    if (before && high && this.#compare(before, high) >= 0) throw new PageFault(`page ${number} is not in order`);
  }

  #row(page: Buffer, number: number, at: number, key: Buffer): void {
    const flags = page.readUInt16LE(at + 4);
    const size = page.readUInt32LE(at);
    const from = at + NODE_BYTES + key.length;
    if (flags === IN_OVERFLOW) {
      const first = pageNumber(page.readBigUInt64LE(from));
      const count = this.#overflow(first, size, page.readBigUInt64LE(from + 16));
      const value = (): Buffer => this.#pages.pages(first, count).subarray(HEADER_BYTES, HEADER_BYTES + size);
      this.#visit({ key, subtree: false, size, value });
      return;
    }
    if (flags !== 0 && flags !== SUBTREE) throw new PageFault(`a row of page ${number} has unknown flags`);
    const subtree = flags === SUBTREE;
    if (subtree && size !== TREE_HEAD_BYTES) throw new PageFault(`a row of page ${number} is no tree`);
    this.#visit({ key, subtree, size, value: () => page.subarray(from, from + size) });
  }

  /** Checks the overflow pages of a long value. Returns their number. */
  #overflow(first: number, size: number, noted: bigint): number {
    const { pageSize } = this.#pages;
    const count = Math.floor((HEADER_BYTES - 1 + size) / pageSize) + 1;
    if (noted < BigInt(count)) throw new PageFault(`the value on page ${first} is longer than its pages`);
    this.#pages.use(first, pageNumber(noted));
    const head = this.#pages.header(first);
    if (requireHeader(head, first, OVERFLOW) > this.#pages.transaction)
      throw new PageFault(`page ${first} is newer than the last transaction`);
    if (head.readUInt32LE(20) !== Number(noted)) throw new PageFault(`page ${first} has impossible bounds`);
    this.#counts.overflow += noted;
    return count;
  }
}

/** Checks a page's header for its kind, and returns the page's transaction. */
function requireHeader(page: Buffer, number: number, kind: number): bigint {
  if (page.readBigUInt64LE(0) !== BigInt(number)) throw new PageFault(`page ${number} has another number`);
  if (page.readUInt16LE(18) !== kind) throw new PageFault(`page ${number} is of another kind`);
  return page.readBigUInt64LE(8);
}

function nodeBytes(page: Buffer, at: number, isLeaf: boolean): number {
  const bytes = NODE_BYTES + page.readUInt16LE(at + 6);
  if (!isLeaf) return bytes;
  return bytes + (page.readUInt16LE(at + 4) & IN_OVERFLOW ? OVERFLOW_POINTER_BYTES : page.readUInt32LE(at));
}

function keyAt(page: Buffer, at: number): Buffer {
  const from = at + NODE_BYTES;
  return page.subarray(from, from + page.readUInt16LE(at + 6));
}

function compareIntegers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) throw new PageFault('the list of free pages has a row that is none');
  return Buffer.compare(Buffer.from(a).reverse(), Buffer.from(b).reverse());
}

/** A page number as a safe integer; `use` refuses numbers that are too large. */
function pageNumber(value: bigint): number {
  return value > 0xffffffffffffn ? Number.MAX_SAFE_INTEGER : Number(value);
}
