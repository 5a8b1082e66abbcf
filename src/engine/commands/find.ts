// find, count
import { Int32 } from 'bson';
import { requireResultSize } from '../bson/codec.js';
import { picker } from '../bson/pick.js';
import { toOrderedBytes } from '../bson/raw.js';
import type { Doc } from '../bson/types.js';
import { Cursor } from '../sessions/cursors.js';
import { fail } from '../errors.js';
import { prepare, prepareNothing, type Query, WindowScan } from '../planner/execute.js';
import { sortFields } from '../planner/plan.js';
import { compileProjection, wholeFields } from '../query/projection.js';
import { docOf } from '../store/view.js';
import { refuse } from './args.js';
import { type Command, type Ctx, findCollection, letVars, namespaceOf, viewOf } from './context.js';
import { eachRow, firstReply, type RowProjection, ScanBatches } from './read.js';

/** Options of find that this engine does not support. */
export const NOT_HERE = [
  'collation',
  'min',
  'max',
  'returnKey',
  'showRecordId',
  'tailable',
  'awaitData',
  'oplogReplay',
];

/** The window and order of a find command. */
function windowOf(ctx: Ctx): { skip: number; limit: number } {
  return { skip: ctx.args.count('skip') ?? 0, limit: Math.abs(ctx.args.integer('limit') ?? 0) };
}

/** Plans a find command: rows in order, skipped and limited. */
export function findQuery(ctx: Ctx, ns: string): Query {
  const { args } = ctx;
  refuse(args, NOT_HERE);
  const { skip, limit } = windowOf(ctx);
  const filter = args.document('filter') ?? {};
  const vars = letVars(ctx);
  const { sort, hint } = orderOf(ctx);
  const view = viewOf(ctx);
  const collection = findCollection(ctx, ns);
  if (!collection) return prepareNothing(filter, vars);
  const total = limit > 0 ? limit + skip : undefined;
  const query = prepare({ view, collection, filter, sort, limit: total, hint, vars, apiStrict: ctx.apiStrict });
  return skip > 0 || limit > 0 ? { ...query, scan: new WindowScan(query.scan, skip, limit) } : query;
}

function naturalHint(sort: Doc): Doc {
  if (Object.keys(sort).length > 1) fail('BadValue', "Cannot include '$natural' in compound sort");
  if (![1, -1].includes(Number(sort.$natural))) {
    fail('BadValue', '$natural sort cannot be set to a value other than -1 or 1.');
  }
  return { $natural: sort.$natural };
}

/** The sort {$natural: 1} is a hint. */
function orderOf(ctx: Ctx): { sort: ReturnType<typeof sortFields>; hint: unknown } {
  const sort = ctx.args.document('sort');
  if (sort?.$natural !== undefined) return { sort: undefined, hint: naturalHint(sort) };
  return { sort: sortFields(sort), hint: ctx.args.get('hint') };
}

function projectionOf(ctx: Ctx, query: Query): RowProjection | undefined {
  const fields = ctx.args.document('projection');
  if (!fields || Object.keys(fields).length === 0) return undefined;
  const whole = wholeFields(fields);
  if (whole) {
    const pick = picker(whole);
    return (row) => pick(row.raw);
  }
  const project = compileProjection(fields, query.matcher, { vars: letVars(ctx) });
  return (row) => {
    const doc = project(docOf(row));
    return requireResultSize(toOrderedBytes(doc, row.raw), doc);
  };
}

/** Finds documents. */
export const findCommand: Command = {
  name: 'find',
  help: 'finds documents',
  fields: [
    ...['filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'max', 'min', 'returnKey'],
    ...['showRecordId', 'tailable', 'oplogReplay', 'noCursorTimeout', 'awaitData', 'allowPartialResults', 'collation'],
    ...['allowDiskUse', 'let'],
  ],
  inTransaction: true,
  stable: true,
  reads: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    const { args } = ctx;
    const query = findQuery(ctx, ns);
    const source = new ScanBatches(query.scan, () => ctx.deadline, projectionOf(ctx, query));
    const single = args.boolean('singleBatch') || (args.integer('limit') ?? 0) < 0;
    const batch = { size: args.count('batchSize'), single, noTimeout: args.boolean('noCursorTimeout') };
    return firstReply(ctx, new Cursor(ns, source), batch);
  },
};

/** Counts documents; without a filter, returns the stored counter. */
export const countCommand: Command = {
  name: 'count',
  help: 'counts documents',
  fields: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  stable: true,
  reads: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    refuse(ctx.args, ['collation']);
    const filter = ctx.args.document('query') ?? {};
    const { skip, limit } = windowOf(ctx);
    const hint = ctx.args.get('hint');
    const collection = ctx.engine.catalog.find(ns);
    if (!collection) {
      prepareNothing(filter);
      return { n: new Int32(0) };
    }
    const view = viewOf(ctx);
    // Not with a hint: its index may lack documents.
    if (hint === undefined && Object.keys(filter).length === 0)
      return { n: new Int32(windowed(view.count(collection), skip, limit)) };
    const query = prepare({ view, collection, filter, hint, fields: [], apiStrict: ctx.apiStrict });
    let n = 0;
    await eachRow(ctx, new WindowScan(query.scan, skip, limit), () => {
      n += 1;
    });
    return { n: new Int32(n) };
  },
};

function windowed(count: number, skip: number, limit: number): number {
  const remaining = Math.max(0, count - skip);
  return limit > 0 ? Math.min(remaining, limit) : remaining;
}
