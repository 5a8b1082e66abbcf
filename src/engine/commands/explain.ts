// explain
import { Int32 } from 'bson';
import { splitPipeline } from '../aggregate/split.js';
import { MAX_DOCUMENT_BYTES, toBytes } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import { prepare, prepareNothing, type Query, WindowScan } from '../planner/execute.js';
import { showPlan, showQuery, type Wrapping } from '../planner/explain.js';
import { sortFields } from '../planner/plan.js';
import { aggregateCommand } from './aggregate.js';
import { Args, refuse } from './args.js';
import { type Command, type Ctx, findCollection, letVars, validNamespace, viewOf } from './context.js';
import { distinctCommand } from './distinct.js';
import { fieldsOf } from './fields.js';
import { countCommand, findCommand, NOT_HERE } from './find.js';
import { findAndModifyCommand } from './find-and-modify.js';
import { VERSION } from './hello.js';
import { nextRows } from './read.js';
import { DELETE_FIELDS, deleteCommand, UPDATE_FIELDS, updateCommand } from './update.js';

const VERBOSITIES = new Set(['queryPlanner', 'executionStats', 'allPlansExecution']);

/** The read of the explained command. */
interface Explained extends Wrapping {
  ns: string;
  hint?: unknown;
  /** Stages of a pipeline after the planned part. */
  rest: Doc[];
}

function fromFind(args: Args, ns: string): Explained {
  const projection = args.document('projection');
  const window = { skip: args.count('skip') ?? 0, limit: Math.abs(args.integer('limit') ?? 0) };
  return {
    ns,
    filter: args.document('filter') ?? {},
    sort: args.document('sort'),
    ...window,
    projection,
    hint: args.get('hint'),
    rest: [],
  };
}

function fromPipeline(args: Args, ns: string): Explained {
  const stages = (args.array('pipeline') ?? []).filter(isDocument);
  const { filter, sort, skip, limit, rest } = splitPipeline(stages);
  return { ns, filter, sort, skip, limit, rest, hint: args.get('hint') };
}

function fromQuery(args: Args, ns: string, field: string): Explained {
  const window = { skip: args.count('skip') ?? 0, limit: args.integer('limit') ?? 0 };
  return {
    ns,
    filter: args.document(field) ?? {},
    sort: args.document('sort'),
    ...window,
    hint: args.get('hint'),
    rest: [],
  };
}

function fromStatement(args: Args, ns: string, list: string): Explained {
  const [statement, ...more] = args.documents(list) ?? [];
  if (!statement || more.length > 0)
    return fail('InvalidLength', `explained ${args.path} must have exactly one statement`);
  const inner = new Args(statement, `${args.path}.${list}`);
  inner.allow(list === 'updates' ? UPDATE_FIELDS : DELETE_FIELDS);
  refuse(inner, ['collation']);
  return {
    ns,
    filter: inner.document('q') ?? {},
    sort: inner.document('sort'),
    skip: 0,
    limit: 0,
    hint: inner.get('hint'),
    rest: [],
  };
}

/** A command that can be explained, with the function that describes its read. */
interface ExplainReader {
  command: Command;
  read(args: Args, ns: string): Explained;
}

const READERS: readonly ExplainReader[] = [
  { command: aggregateCommand, read: fromPipeline },
  { command: countCommand, read: (args, ns) => fromQuery(args, ns, 'query') },
  { command: deleteCommand, read: (args, ns) => fromStatement(args, ns, 'deletes') },
  { command: distinctCommand, read: (args, ns) => fromQuery(args, ns, 'query') },
  { command: findCommand, read: fromFind },
  { command: findAndModifyCommand, read: (args, ns) => fromQuery(args, ns, 'query') },
  { command: updateCommand, read: (args, ns) => fromStatement(args, ns, 'updates') },
];

function requireNoWriteConcern(args: Args, command: Command): void {
  if (!args.has('writeConcern')) return;
  if (command.name === 'aggregate') {
    fail('FailedToParse', "Aggregation explain does not support the 'writeConcern' option");
  }
  fail('InvalidOptions', 'Command explain does not support writeConcern');
}

function explainedBy(args: Args, name: string, ns: string): Explained {
  const reader = READERS.find(({ command }) => command.name === name || command.aliases?.includes(name));
  if (!reader) return fail('CommandNotFound', `Explain failed due to unknown command: ${name}`);
  args.allow(fieldsOf(reader.command));
  requireNoWriteConcern(args, reader.command);
  refuse(args, [...NOT_HERE, 'explain']);
  return reader.read(args, ns);
}

function queryOf(ctx: Ctx, explained: Explained): Query {
  const { ns, filter, skip, limit, hint } = explained;
  const vars = letVars(ctx);
  const collection = findCollection(ctx, ns);
  if (!collection) return prepareNothing(filter, vars);
  const total = limit > 0 ? skip + limit : undefined;
  const query = prepare({
    view: viewOf(ctx),
    collection,
    filter,
    sort: sortFields(explained.sort),
    limit: total,
    hint,
    vars,
    apiStrict: ctx.apiStrict,
  });
  return skip > 0 || limit > 0 ? { ...query, scan: new WindowScan(query.scan, skip, limit) } : query;
}

async function execute(ctx: Ctx, query: Query, plan: Doc): Promise<Doc> {
  const start = performance.now();
  let returned = 0;
  for (;;) {
    const rows = await nextRows(query.scan, () => ctx.deadline);
    if (rows === null) break;
    returned += rows.length;
  }
  const { keys, docs } = query.scan.stats;
  return {
    executionSuccess: true,
    nReturned: new Int32(returned),
    executionTimeMillis: new Int32(Math.round(performance.now() - start)),
    totalKeysExamined: new Int32(keys),
    totalDocsExamined: new Int32(docs),
    executionStages: { ...plan, nReturned: new Int32(returned) },
  };
}

/** A field of the reply, unless it would make the reply too large. */
function withinLimit(name: string, value: Doc, rest: Doc): Doc {
  if (toBytes(rest).length + toBytes(value).length < MAX_DOCUMENT_BYTES) return { [name]: value };
  return { warning: `'${name}' has been omitted due to BSON size limit` };
}

/** Describes a command's plan; with executionStats it also runs the read, but never writes. */
export const explainCommand: Command = {
  name: 'explain',
  help: 'says how a command finds its documents',
  fields: ['verbosity'],
  stable: true,
  async run(ctx: Ctx): Promise<Doc> {
    const inner = ctx.args.requiredDocument('explain');
    const verbosity = ctx.args.string('verbosity') ?? 'allPlansExecution';
    if (!VERBOSITIES.has(verbosity))
      fail('FailedToParse', `verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}`);
    const name = Object.keys(inner)[0] ?? '';
    const innerCtx: Ctx = { ...ctx, args: new Args(inner, name) };
    const explained = explainedBy(innerCtx.args, name, validNamespace(ctx.db, String(inner[name])));
    const query = queryOf(innerCtx, explained);
    const winningPlan = showQuery(query, explained);
    const planned: Doc = {
      queryPlanner: {
        namespace: explained.ns,
        indexFilterSet: false,
        parsedQuery: explained.filter,
        winningPlan,
        rejectedPlans: query.rejected.map((plan) => showPlan(plan, explained.filter)),
      },
      ...(verbosity === 'queryPlanner' ? {} : { executionStats: await execute(innerCtx, query, winningPlan) }),
    };
    const shape = explained.rest.length > 0 ? { stages: [{ $cursor: planned }, ...explained.rest] } : planned;
    return {
      explainVersion: '1',
      ...shape,
      ...withinLimit('command', inner, shape),
      serverInfo: { host: ctx.client.address, version: VERSION },
    };
  },
};
