// Shared by insert, update and delete: runs the statements of a batch in order, at most once each, and builds the reply with its writeErrors.
import { Int32 } from 'bson';
import type { Doc } from '../bson/types.js';
import { MongoError } from '../errors.js';
import type { StatementResult } from '../sessions/sessions.js';
import type { SlicedBody } from '../store/slices.js';
import type { Ctx } from './context.js';

/** The outcome of one statement; a retry returns the stored `result`. */
export interface StatementOutcome {
  n: number;
  modified?: number;
  upsertedId?: unknown;
  result: StatementResult;
}

/** A whole batch. */
export interface BatchOutcome {
  n: number;
  modified: number;
  upserted: Doc[];
  errors: Doc[];
  /** Statements that an earlier attempt had completed. */
  retried: Int32[];
}

/** Statement ids of a batch: `stmtIds`, or numbered from `stmtId`. */
export function statementIds(ctx: Ctx, count: number): number[] {
  const ids = ctx.args.array('stmtIds');
  if (ids) return ids.map(Number);
  const first = ctx.args.integer('stmtId') ?? 0;
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Errors that end the whole command and not just its statement: in a transaction, drivers try it again after those that errorReply labels. */
const COMMAND_ERRORS = new Set([50, 112, 239, 246, 251, 11600, 11601, 13436]);

/** Runs statements one after the other. After an error an ordered batch stops; in a transaction every batch does. */
export function* runStatements(
  ctx: Ctx,
  ids: number[],
  ordered: boolean,
  statements: (() => SlicedBody<StatementOutcome>)[],
): SlicedBody<BatchOutcome> {
  const batch: BatchOutcome = { n: 0, modified: 0, upserted: [], errors: [], retried: [] };
  for (const [i, statement] of statements.entries()) {
    yield 'write';
    const id = ids[i] ?? i;
    if (replay(ctx, batch, i, id)) continue;
    try {
      failWrite(ctx, i);
      const outcome = yield* statement();
      add(batch, i, outcome);
      if (ctx.retryable) ctx.session?.remember(id, outcome.result);
    } catch (error) {
      if (!(error instanceof MongoError) || COMMAND_ERRORS.has(error.code)) throw error;
      batch.errors.push(writeError(i, error));
      if (ordered || ctx.txn) break;
    }
  }
  return batch;
}

/** onPrimaryTransactionalWrite: the connection closes after this command; with an exception code, the write fails. */
export function failWrite(ctx: Ctx, i = 0): void {
  // For this failpoint, the documents of an insert command are one write.
  if (!ctx.retryable || (ctx.name === 'insert' && i > 0)) return;
  const point = ctx.engine.failpoints.atTransactionalWrite();
  if (!point) return;
  ctx.closeAfter ||= point.close;
  if (point.error) throw point.error;
}

/** Reuses a statement's result from an earlier attempt of the same command. */
function replay(ctx: Ctx, batch: BatchOutcome, i: number, id: number): boolean {
  const earlier = ctx.retryable ? ctx.session?.done.get(id) : undefined;
  if (earlier === undefined) return false;
  add(batch, i, {
    n: earlier === null ? 1 : Number(earlier.n ?? 0),
    modified: Number(earlier?.nModified ?? 0),
    upsertedId: earlier?.upserted,
    result: earlier,
  });
  batch.retried.push(new Int32(id));
  return true;
}

function add(batch: BatchOutcome, i: number, outcome: StatementOutcome): void {
  batch.n += outcome.n;
  batch.modified += outcome.modified ?? 0;
  if (outcome.upsertedId !== undefined) batch.upserted.push({ index: new Int32(i), _id: outcome.upsertedId });
}

function writeError(index: number, error: MongoError): Doc {
  return { index: new Int32(index), code: new Int32(error.code), ...error.extra, errmsg: error.message };
}

/** Characters of messages after which further messages are left out, as in MongoDB. */
const MAX_MESSAGES = 1024 * 1024;

function shortened(errors: Doc[]): Doc[] {
  let length = 0;
  return errors.map((error, i) => {
    if (length >= MAX_MESSAGES && i >= 2) return { ...error, errmsg: '' };
    length += String(error.errmsg).length;
    return error;
  });
}

/** The reply of a batch: counters, then errors. */
export function batchReply(batch: BatchOutcome, counters: Doc): Doc {
  return {
    ...counters,
    ...(batch.upserted.length > 0 ? { upserted: batch.upserted } : {}),
    ...(batch.errors.length > 0 ? { writeErrors: shortened(batch.errors) } : {}),
    ...(batch.retried.length > 0 ? { retriedStmtIds: batch.retried } : {}),
  };
}
