// getMore, killCursors
import { Long } from 'bson';
import { type Doc, EncodedArray } from '../bson/types.js';
import type { Cursor } from '../sessions/cursors.js';
import { fail, MongoError } from '../errors.js';
import { type Command, type Ctx, validNamespace } from './context.js';

/** MongoDB's code for a cursor that another getMore is using. */
const CURSOR_IN_USE = 12051;
/** How long an awaiting getMore waits by default. */
const DEFAULT_AWAIT_MS = 1000;

function requireOwner(ctx: Ctx, cursor: Cursor, ns: string): void {
  if (cursor.ns !== ns) {
    fail(
      'Unauthorized',
      `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
    );
  }
  if (cursor.session !== ctx.session) {
    fail(
      cursor.session ? 50737 : 50736,
      `Cannot run getMore on cursor ${cursor.id.toString()}, which was not created in this session`,
    );
  }
  const txnNumber = ctx.txn ? ctx.session?.txnNumber : undefined;
  if (cursor.txnNumber !== txnNumber) {
    fail(
      cursor.txnNumber === undefined ? 50740 : 50739,
      `Cannot run getMore on cursor ${cursor.id.toString()} outside of its transaction`,
    );
  }
}

/** The next batch of a cursor. */
export const getMoreCommand: Command = {
  name: 'getMore',
  help: 'gives the next batch of a cursor',
  fields: ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime'],
  inTransaction: true,
  stable: true,
  async run(ctx: Ctx): Promise<Doc> {
    const { engine, args } = ctx;
    const id = args.long('getMore') ?? Long.ZERO;
    const ns = validGetMore(ctx.db, args.requiredString('collection'));
    const cursor = engine.cursors.get(id);
    requireOwner(ctx, cursor, ns);
    if (cursor.busy) fail(CURSOR_IN_USE, `cursor id ${id.toString()} is already in use`);
    cursor.busy = true;
    ctx.client.onClose = () => void engine.cursors.kill(id);
    try {
      engine.failpoints.afterCursorCheckout();
      return await more(ctx, cursor);
    } catch (error) {
      engine.cursors.kill(id);
      throw cursor.tail ? resumable(error) : error;
    } finally {
      ctx.client.onClose = undefined;
      cursor.busy = false;
      cursor.lastUse = Date.now();
    }
  },
};

/** Errors after which drivers resume a change stream automatically. */
const RESUMABLE = new Set([6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436]);

function resumable(error: unknown): unknown {
  if (error instanceof MongoError && RESUMABLE.has(error.code)) error.labels.push('ResumableChangeStreamError');
  return error;
}

/** Accepts the pseudo-collections of cursors over a database, which are not valid collection names. */
function validGetMore(db: string, name: string): string {
  return name.startsWith('$cmd') ? `${db}.${name}` : validNamespace(db, name);
}

async function more(ctx: Ctx, cursor: Cursor): Promise<Doc> {
  const maxTimeMs = ctx.args.integer('maxTimeMS');
  if (maxTimeMs !== undefined && !cursor.tail)
    fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  const size = ctx.args.count('batchSize') || Number.POSITIVE_INFINITY;
  const batch = await cursor.fill(size, cursor.tail ? (maxTimeMs ?? DEFAULT_AWAIT_MS) : 0);
  if (batch.ended) ctx.engine.cursors.kill(cursor.id);
  const id = batch.ended ? Long.ZERO : cursor.id;
  return { cursor: { nextBatch: new EncodedArray(batch.docs), ...batch.extra, id, ns: cursor.ns } };
}

/** Ends cursors. */
export const killCursorsCommand: Command = {
  name: 'killCursors',
  help: 'ends cursors',
  fields: ['cursors'],
  inTransaction: true,
  stable: true,
  run(ctx: Ctx): Doc {
    ctx.args.requiredString('killCursors');
    const ids = ctx.args.array('cursors') ?? ctx.args.missing('cursors');
    const killed: unknown[] = [];
    const missing: unknown[] = [];
    for (const id of ids) (id instanceof Long && ctx.engine.cursors.kill(id) ? killed : missing).push(id);
    return { cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [] };
  },
};
