// Shared by reading commands: rows to batches, and the first reply of a cursor.

import { Long } from 'bson';
import { type Doc, EncodedArray } from '../bson/types.js';
import { type BatchSource, Cursor } from '../sessions/cursors.js';
import type { RowScan } from '../planner/scan.js';
import { breathe, requireTime } from '../store/slices.js';
import type { Row } from '../store/view.js';
import { Args } from './args.js';
import type { Ctx } from './context.js';

/** Documents of a first batch by default. */
export const DEFAULT_BATCH = 101;
/** How long a read may occupy the thread without a pause. */
const CHUNK_MS = 3;
/** A deadline in the past, which stops a read. */
export const PAST = 0;
const CURSOR_FIELDS = new Set(['batchSize']);

/** Advances a scan until it returns rows, or null at its end; other commands run in between. */
export async function nextRows(scan: RowScan, deadline: () => number | undefined): Promise<Row[] | null> {
  let start = performance.now();
  for (;;) {
    const rows = scan.next();
    if (rows === null || rows.length > 0) return rows;
    if (performance.now() - start < CHUNK_MS) continue;
    await breathe();
    requireTime(deadline());
    start = performance.now();
  }
}

/** Passes every row of a scan to `take`. Returns a promise only if it pauses for other commands. */
export function eachRow(ctx: Ctx, scan: RowScan, take: (row: Row) => void): Promise<void> | undefined {
  return takeChunk(scan, take) ? undefined : remainingRows(ctx, scan, take);
}

async function remainingRows(ctx: Ctx, scan: RowScan, take: (row: Row) => void): Promise<void> {
  do {
    await breathe();
    requireTime(ctx.deadline);
  } while (!takeChunk(scan, take));
}

/** Passes rows for a few milliseconds. Returns whether the scan has ended. */
function takeChunk(scan: RowScan, take: (row: Row) => void): boolean {
  const end = performance.now() + CHUNK_MS;
  do {
    const rows = scan.next();
    if (rows === null) return true;
    for (const row of rows) take(row);
  } while (performance.now() < end);
  return false;
}

/** Encodes the projection of a row. */
export type RowProjection = (row: Row) => Buffer;

/** Rows of a scan as encoded documents; without a projection, the stored bytes. */
export class ScanBatches implements BatchSource {
  readonly #scan: RowScan;
  readonly #project: RowProjection | undefined;
  readonly #release: () => void;
  #busySince = 0;
  /** The deadline of the command that opened the cursor; PAST once the cursor is closed. */
  #deadline: () => number | undefined;

  constructor(
    scan: RowScan,
    deadline: () => number | undefined,
    project?: RowProjection,
    release: () => void = () => {},
  ) {
    this.#deadline = deadline;
    this.#scan = scan;
    this.#project = project;
    this.#release = release;
  }

  async next(): Promise<Buffer[] | null> {
    await this.#pause();
    const rows = await nextRows(this.#scan, this.#deadline);
    if (rows === null) return null;
    return rows.map(this.#project ?? ((row) => row.raw));
  }

  /** Lets other commands run between the chunks of a large batch. */
  async #pause(): Promise<void> {
    const now = performance.now();
    if (this.#busySince !== 0 && now - this.#busySince < CHUNK_MS) return;
    if (this.#busySince !== 0) await breathe();
    requireTime(this.#deadline());
    this.#busySince = performance.now();
  }

  close(): void {
    this.#deadline = () => PAST;
    this.#release();
  }
}

/** Options of the first batch. */
export interface FirstBatch {
  size?: number;
  /** Close the cursor after this batch. */
  single?: boolean;
  noTimeout?: boolean;
}

/** The `cursor: {batchSize}` of commands that return a cursor. */
export function batchWanted(ctx: Ctx): FirstBatch {
  const cursor = new Args(ctx.args.document('cursor') ?? {}, `${ctx.args.path}.cursor`);
  cursor.allow(CURSOR_FIELDS);
  return { size: cursor.count('batchSize') };
}

/** Fills the first batch, and stores the cursor if there is more. */
export async function firstReply(ctx: Ctx, cursor: Cursor, firstBatch: FirstBatch): Promise<Doc> {
  let isOpen = false;
  try {
    const batch = await cursor.fill(firstBatch.size ?? DEFAULT_BATCH);
    isOpen = !batch.ended && firstBatch.single !== true;
    if (isOpen) keep(ctx, cursor, firstBatch);
    const id = isOpen ? cursor.id : Long.ZERO;
    const extra = { ...batch.extra, ...(ctx.atClusterTime ? { atClusterTime: ctx.atClusterTime } : {}) };
    return { cursor: { firstBatch: new EncodedArray(batch.docs), ...extra, id, ns: cursor.ns } };
  } finally {
    if (!isOpen) cursor.close();
  }
}

function keep(ctx: Ctx, cursor: Cursor, firstBatch: FirstBatch): void {
  cursor.session = ctx.session;
  cursor.txnNumber = ctx.txn && ctx.session ? ctx.session.txnNumber : undefined;
  cursor.noTimeout = firstBatch.noTimeout === true;
  ctx.engine.cursors.keep(cursor);
}
