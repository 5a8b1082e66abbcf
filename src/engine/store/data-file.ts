// Looks at a data file before lmdb maps it: lmdb trusts what it maps, and a file that was cut or overwritten would end the process.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Where lmdb's format keeps what we look at: offsets in a meta page (lmdb.h of lmdb-js, `MDB_page` and `MDB_meta`). */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;

interface Meta {
  pageSize: number;
  lastPage: bigint;
  transaction: bigint;
}

/** What is wrong with a data file, in words that end a sentence; undefined when nothing is, or when there is no file yet. */
export function dataFileFault(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return undefined;
    const first = readMeta(file, 0);
    const second = first && readMeta(file, first.pageSize);
    if (!first || !second) return 'its first pages are not what the engine wrote';
    const { lastPage, pageSize } = first.transaction > second.transaction ? first : second;
    return (lastPage + 1n) * BigInt(pageSize) > BigInt(size) ? 'a part of it is missing' : undefined;
  } finally {
    closeSync(file);
  }
}

function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, at) < META_BYTES || page.readUInt32LE(MAGIC_AT) !== MAGIC) return undefined;
  return {
    pageSize: page.readUInt32LE(PAGE_SIZE_AT),
    lastPage: page.readBigUInt64LE(LAST_PAGE_AT),
    transaction: page.readBigUInt64LE(TRANSACTION_AT),
  };
}
