// Copies a state of a data file, page by page. Free pages become holes.
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { META } from './page-file.js';
import { PageFault } from './page-tree.js';
import { type FileState, UNFLUSHED } from './pages.js';

const CHUNK_BYTES = 1024 * 1024;
/** Bytes of a meta page that are equal in all states of a file. */
const CONSTANT_BYTES = 40;
const FLAGS_IN_TREE = 4;

/** Copies the pages of a state to a new file. Throws PageFault if the file is cut meanwhile. */
export function copyState(state: FileState, to: string): void {
  const { pageSize, lastPage } = state.pages;
  const copy = openSync(to, 'wx', 0o600);
  try {
    ftruncateSync(copy, (lastPage + 1) * pageSize);
    for (const { first, count } of state.pages.usedRuns())
      copyBytes(state.file, copy, first * pageSize, count * pageSize);
    writeMetaPages(state, copy);
  } finally {
    closeSync(copy);
  }
}

function copyBytes(from: number, to: number, start: number, bytes: number): void {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes));
  for (let at = start; at < start + bytes; ) {
    const read = readSync(from, chunk, 0, Math.min(chunk.length, start + bytes - at), at);
    if (read === 0) throw new PageFault('pages are missing');
    write(to, chunk.subarray(0, read), at);
    at += read;
  }
}

function write(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

/** Both meta pages lead to the state, which is flushed. */
function writeMetaPages({ file, meta, pages }: FileState, copy: number): void {
  const page = Buffer.alloc(pages.pageSize);
  readSync(file, page, 0, CONSTANT_BYTES, 0);
  meta.bytes.copy(page, CONSTANT_BYTES, CONSTANT_BYTES);
  page.writeUInt16LE(meta.free.flags & ~UNFLUSHED, META.free + FLAGS_IN_TREE);
  page.writeBigUInt64LE(0n, META.boot);
  const before = meta.isFirst ? 0n : meta.transaction - 1n;
  for (const transaction of [before, meta.transaction]) {
    const number = transaction % 2n;
    page.writeBigUInt64LE(number, 0);
    page.writeBigUInt64LE(transaction, META.transaction);
    write(copy, page, Number(number) * pages.pageSize);
  }
}
