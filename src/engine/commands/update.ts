// update and delete
import { Int32 } from 'bson';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import type { SlicedBody } from '../store/slices.js';
import type { Writer } from '../store/writer.js';
import { compileUpdate } from '../update/compile.js';
import { Args, refuse } from './args.js';
import { type Command, type Ctx, letVars, namespaceOf, requireWritable, write } from './context.js';
import { batchOf } from './insert.js';
import { removeDocuments, type StatementTarget, updateDocuments } from './modify.js';
import { batchReply, runStatements, type StatementOutcome, statementIds } from './statements.js';

/** Fields of one update. */
export const UPDATE_FIELDS = new Set(['q', 'u', 'c', 'multi', 'upsert', 'arrayFilters', 'hint', 'collation']);
/** Fields of one delete. */
export const DELETE_FIELDS = new Set(['q', 'limit', 'hint', 'collation']);

/** An update's `u`, compiled. Throws FailedToParse for anything but a document or a pipeline. */
export function updateOf(ctx: Ctx, args: Args, field: string, vars: Doc | undefined) {
  const update = args.get(field);
  if (!isDocument(update) && !Array.isArray(update)) {
    return fail('FailedToParse', 'Update argument must be either an object or an array');
  }
  const constants = args.document('c');
  if (constants && !Array.isArray(update))
    return fail(51198, 'Constant values may only be specified for pipeline updates');
  const clock = () => ctx.engine.oplog.clock.stamp();
  const arrayFilters = args.documents('arrayFilters');
  return compileUpdate(update, { arrayFilters, vars: { ...vars, ...constants }, clock });
}

/** Checks the form of statements: faults in the form fail the command, faults in the content only the statement. */
function checked(ctx: Ctx, list: 'updates' | 'deletes', fields: ReadonlySet<string>): Args[] {
  return batchOf(ctx.args, list).map((statement) => {
    const args = new Args(statement, `${ctx.args.path}.${list}`);
    args.allow(fields);
    refuse(args, ['collation']);
    args.requiredDocument('q');
    return args;
  });
}

/** The documents to which a statement of `updates` or `deletes` applies. */
function targetOf(ctx: Ctx, args: Args, rest: Pick<StatementTarget, 'ns' | 'vars' | 'multi'>): StatementTarget {
  return { filter: args.requiredDocument('q'), hint: args.get('hint'), apiStrict: ctx.apiStrict, ...rest };
}

function* updateOne(ctx: Ctx, writer: Writer, ns: string, args: Args): SlicedBody<StatementOutcome> {
  const vars = letVars(ctx);
  const update = updateOf(ctx, args, 'u', vars);
  const multi = args.boolean('multi');
  if (multi && update.kind === 'replace') {
    fail('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  const target = targetOf(ctx, args, { ns, vars, multi });
  const outcome = yield* updateDocuments(writer, target, update, args.boolean('upsert'));
  const upserted = outcome.upsertedId !== undefined;
  const n = outcome.matched + (upserted ? 1 : 0);
  const result: Doc = {
    n: new Int32(n),
    nModified: new Int32(outcome.modified),
    ...(upserted ? { upserted: outcome.upsertedId } : {}),
  };
  return { n, modified: outcome.modified, upsertedId: outcome.upsertedId, result };
}

/** Changes documents. */
export const updateCommand: Command = {
  name: 'update',
  help: 'updates documents',
  fields: ['updates', 'ordered', 'bypassDocumentValidation', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  stable: true,
  retryable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    const statements = checked(ctx, 'updates', UPDATE_FIELDS);
    if (ctx.retryable && statements.some((args) => args.boolean('multi'))) {
      fail('InvalidOptions', 'Cannot use retryable writes with multi=true');
    }
    const ids = statementIds(ctx, statements.length);
    const ordered = ctx.args.boolean('ordered', true);
    const outcome = await write(ctx, (writer) =>
      runStatements(
        ctx,
        ids,
        ordered,
        statements.map((args) => () => updateOne(ctx, writer, ns, args)),
      ),
    );
    return batchReply(outcome, { n: new Int32(outcome.n), nModified: new Int32(outcome.modified) });
  },
};

/** 0 for all matches, 1 for the first. */
function limitOf(args: Args): number {
  const limit = args.integer('limit') ?? args.missing('limit');
  if (limit === 0 || limit === 1) return limit;
  return fail('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
}

function* deleteOne(ctx: Ctx, writer: Writer, ns: string, args: Args): SlicedBody<StatementOutcome> {
  const multi = limitOf(args) === 0;
  const vars = letVars(ctx);
  const target = targetOf(ctx, args, { ns, vars, multi });
  const { removed } = yield* removeDocuments(writer, target);
  return { n: removed, result: { n: new Int32(removed) } };
}

/** Removes documents. */
export const deleteCommand: Command = {
  name: 'delete',
  help: 'removes documents',
  fields: ['deletes', 'ordered', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  stable: true,
  retryable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    const statements = checked(ctx, 'deletes', DELETE_FIELDS);
    if (ctx.retryable && statements.some((args) => limitOf(args) === 0)) {
      fail('InvalidOptions', 'Cannot use retryable writes with limit=0');
    }
    const ids = statementIds(ctx, statements.length);
    const ordered = ctx.args.boolean('ordered', true);
    const outcome = await write(ctx, (writer) =>
      runStatements(
        ctx,
        ids,
        ordered,
        statements.map((args) => () => deleteOne(ctx, writer, ns, args)),
      ),
    );
    return batchReply(outcome, { n: new Int32(outcome.n) });
  },
};
