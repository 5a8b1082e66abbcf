// $changeStream as the first stage of an aggregate: checks its options and opens its cursor.
import { checkPipeline } from '../aggregate/pipeline.js';
import type { PipelineEnv } from '../expressions/types.js';
import { type Doc, isDocument } from '../bson/types.js';
import { ChangeStream, startOf } from '../change-streams/change-stream.js';
import { Cursor } from '../sessions/cursors.js';
import { fail } from '../errors.js';
import { fromTimestamp } from '../store/clock.js';
import { Args } from './args.js';
import type { Ctx } from './context.js';

const FIELDS = new Set([
  ...['fullDocument', 'fullDocumentBeforeChange', 'resumeAfter', 'startAfter', 'startAtOperationTime'],
  ...['allChangesForCluster', 'showExpandedEvents'],
]);
/** Stages that may follow $changeStream. */
const STAGES = new Set([
  '$match',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
  '$redact',
]);
const FULL_DOCUMENT = new Set(['default', 'updateLookup']);

function requireOptions(args: Args): void {
  args.allow(FIELDS);
  const full = args.string('fullDocument') ?? 'default';
  if (full === 'whenAvailable' || full === 'required')
    fail('NotImplemented', `fullDocument: '${full}' is not supported by this store: it keeps no post-images`);
  if (!FULL_DOCUMENT.has(full))
    fail('BadValue', `Enumeration value '${full}' for field '$changeStream.fullDocument' is not a valid value.`);
  const before = args.string('fullDocumentBeforeChange') ?? 'off';
  if (before !== 'off')
    fail(
      'NotImplemented',
      `fullDocumentBeforeChange: '${before}' is not supported by this store: it keeps no pre-images`,
    );
  const starts = ['resumeAfter', 'startAfter', 'startAtOperationTime'].filter((name) => args.has(name));
  if (starts.length > 1)
    fail(40674, `Only one type of resume option is allowed, but multiple were found: ${starts.join(', ')}`);
}

function requireStages(stages: Doc[]): void {
  for (const stage of stages) {
    const name = Object.keys(stage)[0] ?? '';
    if (!STAGES.has(name) && name.startsWith('$'))
      fail('IllegalOperation', `${name} is not permitted in a $changeStream pipeline`);
  }
}

/** Opens the cursor of a change stream over a collection, a database (`aggregate: 1`) or everything (`allChangesForCluster` on admin). */
export function openChangeStream(ctx: Ctx, ns: string, stages: Doc[], env: PipelineEnv): Cursor {
  if (ctx.txn)
    fail(
      'OperationNotSupportedInTransaction',
      'Operation not permitted in transaction :: caused by :: Stage not supported inside of a multi-document transaction: $changeStream',
    );
  const [first, ...rest] = stages;
  const spec = first?.$changeStream;
  const args = new Args(
    isDocument(spec) ? spec : fail(50808, '$changeStream stage expects a document as argument'),
    '$changeStream',
  );
  requireOptions(args);
  const pipeline = checkPipeline(rest, env.vars);
  requireStages(rest);
  const at = args.timestamp('startAtOperationTime');
  const place = startOf(ctx.engine, {
    resumeAfter: args.get('resumeAfter'),
    startAfter: args.get('startAfter'),
    at: at === undefined ? undefined : fromTimestamp(at),
  });
  const lookup = args.string('fullDocument') === 'updateLookup';
  const stream = new ChangeStream(
    ctx.engine,
    { scope: scopeOf(ctx, args), lookup, stages: rest, pipeline, env },
    place,
  );
  const cursor = new Cursor(ns, stream);
  cursor.tail = stream;
  return cursor;
}

function scopeOf(ctx: Ctx, args: Args) {
  const expanded = args.boolean('showExpandedEvents');
  const name = ctx.args.get('aggregate');
  if (args.boolean('allChangesForCluster')) {
    if (ctx.db !== 'admin' || typeof name === 'string')
      fail(
        'InvalidOptions',
        "A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' database, and with no collection name",
      );
    return { expanded };
  }
  if (ctx.db === 'admin' || ctx.db === 'local' || ctx.db === 'config')
    fail('InvalidNamespace', `$changeStream may not be opened on the internal ${ctx.db} database`);
  return { db: ctx.db, collection: typeof name === 'string' ? name : undefined, expanded };
}
