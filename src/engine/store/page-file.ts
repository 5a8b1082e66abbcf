// Reads a data file as numbered pages, without lmdb.
import { fstatSync, readSync } from 'node:fs';
import { PageFault, type PageSource, readTreeHead, type TreeHead } from './page-tree.js';

/** The first pages of a file: the two meta pages. */
const META_PAGES = 2;
const HEADER_BYTES = 24;

/** A state of the file (MDB_meta). */
export interface Meta {
  pageSize: number;
  free: TreeHead;
  main: TreeHead;
  lastPage: bigint;
  transaction: bigint;
  boot: bigint;
  /** Whether it is the file's first transaction. Such a file may be a copy, whose pages have older numbers. */
  isFirst: boolean;
  /** The content. */
  bytes: Buffer;
}

/** Offsets in a meta page, and size of its content. */
export const META = { free: 48, main: 96, lastPage: 144, transaction: 152, boot: 160, bytes: 168 } as const;

/** Reads the meta page at an offset of the file. Throws PageFault if it is missing. */
export function readMeta(file: number, at: number): Meta {
  const page = Buffer.alloc(META.bytes);
  if (readSync(file, page, 0, META.bytes, at) < META.bytes) throw new PageFault('a meta page is missing');
  return metaIn(page, 0);
}

/** The meta page at an offset of bytes. */
export function metaIn(bytes: Buffer, at: number): Meta {
  return {
    pageSize: bytes.readUInt32LE(at + META.free),
    free: readTreeHead(bytes, at + META.free),
    main: readTreeHead(bytes, at + META.main),
    lastPage: bytes.readBigUInt64LE(at + META.lastPage),
    transaction: bytes.readBigUInt64LE(at + META.transaction),
    boot: bytes.readBigInt64LE(at + META.boot),
    isFirst: false,
    bytes: Buffer.from(bytes.subarray(at, at + META.bytes)),
  };
}

/** The pages of an open file. */
export class PageFile implements PageSource {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly #file: number;
  readonly #page: Buffer;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** One byte per page: 1 if it is in use. */
  readonly #used: Uint8Array;

  constructor(file: number, { pageSize, lastPage, transaction }: Meta) {
    if ((lastPage + 1n) * BigInt(pageSize) > BigInt(fstatSync(file).size)) throw new PageFault('pages are missing');
    this.pageSize = pageSize;
    this.lastPage = Number(lastPage);
    this.transaction = transaction;
    this.#file = file;
    this.#page = Buffer.alloc(pageSize);
    this.#used = new Uint8Array(this.lastPage + 1);
  }

  page(number: number): Buffer {
    return this.#read(this.#page, number);
  }

  header(number: number): Buffer {
    return this.#read(this.#header, number);
  }

  pages(number: number, count: number): Buffer {
    return this.#read(Buffer.allocUnsafe(count * this.pageSize), number);
  }

  #read(into: Buffer, number: number): Buffer {
    const read = readSync(this.#file, into, 0, into.length, number * this.pageSize);
    if (read < into.length) throw new PageFault(`page ${number} is missing`);
    return into;
  }

  use(number: number, count: number): void {
    this.#requirePages(number, count);
    for (let page = number; page < number + count; page++) {
      if (this.#used[page]) throw new PageFault(`page ${page} is in two places`);
      this.#used[page] = 1;
    }
  }

  /** Runs of successive pages that are in use. */
  *usedRuns(): Generator<{ first: number; count: number }> {
    for (let first = this.#used.indexOf(1); first !== -1; ) {
      const end = this.#used.indexOf(0, first);
      const count = (end === -1 ? this.#used.length : end) - first;
      yield { first, count };
      first = this.#used.indexOf(1, first + count);
    }
  }

  /** Throws PageFault if one of these pages is in use. */
  requireUnused(first: bigint, count: bigint): void {
    const [number, pages] = [Number(first), Number(count)];
    this.#requirePages(number, pages);
    for (let page = number; page < number + pages; page++)
      if (this.#used[page]) throw new PageFault(`page ${page} is in use and in the list of free pages`);
  }

  #requirePages(number: number, count: number): void {
    if (number < META_PAGES || count < 1 || number + count - 1 > this.lastPage)
      throw new PageFault(`there is no page ${number}`);
  }
}
