// aggregate

import { Int32 } from 'bson';
import { topLevel } from '../aggregate/dependencies.js';
import { checkPipeline, requireTransactional, runChecked } from '../aggregate/pipeline.js';
import { type SplitPipeline, splitPipeline } from '../aggregate/split.js';
import type { ForeignQuery, ForeignSource, PipelineEnv } from '../expressions/types.js';
import { toResultBytes } from '../bson/codec.js';
import { picker } from '../bson/pick.js';
import { type Doc, isDocument } from '../bson/types.js';
import { type BatchSource, Cursor } from '../sessions/cursors.js';
import { fail } from '../errors.js';
import { prepare, prepareNothing, WindowScan } from '../planner/execute.js';
import { sortFields } from '../planner/plan.js';
import { PointQueries } from '../planner/point-queries.js';
import type { RowScan } from '../planner/scan.js';
import type { CollectionInfo } from '../store/catalog.js';
import { toTimestamp } from '../store/clock.js';
import { breathe, requireTime } from '../store/slices.js';
import { partOf } from '../store/view.js';
import { type Args, refuse } from './args.js';
import { openChangeStream } from './change-stream.js';
import { type Command, type Ctx, findCollection, letVars, validNamespace, viewOf } from './context.js';
import { collectionSizes } from './statistics.js';
import { batchWanted, eachRow, firstReply, nextRows, PAST, ScanBatches } from './read.js';

/** Rows of a scan as documents (at least these fields; null: all); pauses let other commands run. */
async function* documents(ctx: Ctx, scan: RowScan, fields: readonly string[] | null): AsyncGenerator<Doc> {
  const part = partOf(fields);
  let since = performance.now();
  for (;;) {
    const rows = await nextRows(scan, () => ctx.deadline);
    if (rows === null) return;
    for (const row of rows) yield part(row);
    if (performance.now() - since < 3) continue;
    await breathe();
    requireTime(ctx.deadline);
    since = performance.now();
  }
}

/** Plans one read of a collection for a pipeline; the pipeline has already compiled the filter. */
function scanFor(ctx: Ctx, ns: string, filter: () => Doc, query: ForeignQuery & { hint?: unknown }): RowScan {
  const collection = findCollection(ctx, ns);
  if (!collection) return prepareNothing(filter(), query.vars).scan;
  const { skip = 0, limit = 0, hint, fields, similar } = query;
  const scan =
    joinScan(ctx, collection, query) ??
    prepare({ ...requestOf(ctx, collection, query), filter: filter(), hint, fields, similar, checked: true }).scan;
  return skip > 0 || limit > 0 ? new WindowScan(scan, skip, limit) : scan;
}

function requestOf(ctx: Ctx, collection: CollectionInfo, { sort, skip = 0, limit = 0, vars }: ForeignQuery) {
  return {
    view: viewOf(ctx),
    collection,
    sort: sortFields(sort),
    limit: limit > 0 ? skip + limit : undefined,
    vars,
    apiStrict: ctx.apiStrict,
  };
}

/** Plans of joins, by the object that their queries share. */
const JOINS = new WeakMap<object, PointQueries>();

function joinScan(ctx: Ctx, collection: CollectionInfo, query: ForeignQuery): RowScan | undefined {
  const { similar, join } = query;
  if (!similar || !join) return undefined;
  const queries = JOINS.get(similar);
  if (queries) return queries.scan(join.value);
  const fresh = new PointQueries({ ...requestOf(ctx, collection, query), field: join.field, filter: join.rest });
  JOINS.set(similar, fresh);
  return fresh.scan(join.value);
}

/** Another collection of the database, for $lookup and $unionWith. */
function foreign(ctx: Ctx, name: string): ForeignSource {
  const ns = validNamespace(ctx.db, name);
  return {
    find: (filter, query = {}) =>
      documents(
        ctx,
        scanFor(ctx, ns, () => filter, query),
        query.fields ?? null,
      ),
    encoded: (names) => {
      const pick = names ? picker(names) : (bytes: Buffer) => bytes;
      return (filter, query, take) => eachRow(ctx, scanFor(ctx, ns, filter, query), ({ raw }) => take(pick(raw)));
    },
  };
}

function environment(ctx: Ctx, ns: string): PipelineEnv {
  const { engine, client } = ctx;
  const collection = findCollection(ctx, ns);
  return {
    namespace: ns,
    vars: letVars(ctx),
    now: new Date(),
    clusterTime: toTimestamp(engine.oplog.clock.last),
    host: client.address,
    foreign: (name) => foreign(ctx, name),
    count: () => {
      if (!collection) return fail('NamespaceNotFound', `Collection [${ns}] not found.`);
      return viewOf(ctx).count(collection);
    },
    sizes: (scale) => collectionSizes(ctx, ns, scale),
    indexStats: () =>
      (collection?.indexes ?? []).map((index) => ({
        name: index.name,
        key: index.key,
        ops: index.used,
        since: new Date(engine.startedAt),
        spec: index.spec,
      })),
  };
}

/** Documents of a pipeline as encoded chunks. */
class PipelineSource implements BatchSource {
  readonly #ctx: Ctx;
  readonly #results: AsyncIterator<Doc>;

  constructor(ctx: Ctx, results: AsyncIterable<Doc>) {
    this.#ctx = ctx;
    this.#results = results[Symbol.asyncIterator]();
  }

  async next(): Promise<Buffer[] | null> {
    const result = await this.#results.next();
    return result.done ? null : [toResultBytes(result.value)];
  }

  /** A running pipeline stops at its next pause. */
  close(): void {
    this.#ctx.deadline = PAST;
    void this.#results.return?.();
  }
}

function stagesOf(args: Args): Doc[] {
  const pipeline = args.array('pipeline') ?? args.missing('pipeline');
  return pipeline.map((stage) => {
    if (isDocument(stage)) return stage;
    return fail('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  });
}

/** `countDocuments` without a filter: read from the stored counter. Not with a hint: its index may lack documents. */
function plainCount(ctx: Ctx, ns: string, lead: SplitPipeline): Doc | undefined {
  if (ctx.args.has('hint')) return undefined;
  if (Object.keys(lead.filter).length > 0 || lead.sort || lead.rest.length !== 1) return undefined;
  const group = lead.rest[0]?.$group;
  if (!isDocument(group) || Object.keys(group).length !== 2 || !isDocument(group.n)) return undefined;
  if (Number(group._id) !== 1 || Number(group.n.$sum) !== 1 || Object.keys(group.n).length !== 1) return undefined;
  const collection = findCollection(ctx, ns);
  const whole = Math.max(0, (collection ? viewOf(ctx).count(collection) : 0) - lead.skip);
  const n = lead.limit > 0 ? Math.min(whole, lead.limit) : whole;
  return { _id: group._id, n: new Int32(n) };
}

async function* one(doc: Doc): AsyncGenerator<Doc> {
  if (Number(doc.n) > 0) yield doc;
}

function pipelineSource(ctx: Ctx, ns: string, stages: Doc[]): BatchSource {
  const env = environment(ctx, ns);
  const pipeline = checkPipeline(stages, env.vars);
  if (ctx.txn) requireTransactional(stages);
  if (pipeline.selfStarting) return new PipelineSource(ctx, runChecked(pipeline, null, env));
  const lead = splitPipeline(stages);
  const counted = plainCount(ctx, ns, lead);
  if (counted) return new PipelineSource(ctx, one(counted));
  const { filter, sort, skip, limit } = lead;
  const fields = lead.fields && topLevel(lead.fields);
  const scan = scanFor(ctx, ns, () => filter, {
    sort,
    skip,
    limit,
    vars: env.vars,
    hint: ctx.args.get('hint'),
    fields,
  });
  if (lead.rest.length === 0) {
    return new ScanBatches(scan, () => ctx.deadline);
  }
  const docs = documents(ctx, scan, fields);
  return new PipelineSource(ctx, runChecked(pipeline, docs, env, stages.length - lead.rest.length));
}

/** Runs a pipeline over a collection, without input ($documents), or over a change stream. */
export const aggregateCommand: Command = {
  name: 'aggregate',
  help: 'runs an aggregation pipeline',
  fields: [
    ...['pipeline', 'explain', 'allowDiskUse', 'cursor', 'bypassDocumentValidation', 'collation', 'hint', 'let'],
    ...['needsMerge', 'fromMongos'],
  ],
  inTransaction: true,
  stable: true,
  reads: true,
  async run(ctx: Ctx): Promise<Doc> {
    refuse(ctx.args, ['collation', 'explain', 'needsMerge', 'fromMongos']);
    const name = ctx.args.get('aggregate');
    const ns = typeof name === 'string' ? validNamespace(ctx.db, name) : `${ctx.db}.$cmd.aggregate`;
    const stages = stagesOf(ctx.args);
    if (!ctx.args.document('cursor'))
      fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
    const batch = batchWanted(ctx);
    if (stages[0]?.$changeStream !== undefined)
      return firstReply(ctx, openChangeStream(ctx, ns, stages, environment(ctx, ns)), batch);
    return firstReply(ctx, new Cursor(ns, pipelineSource(ctx, ns, stages)), batch);
  },
};
