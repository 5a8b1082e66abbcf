// findAndModify
import { Int32 } from 'bson';
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';
import { sortFields } from '../planner/plan.js';
import { compileFilter } from '../query/matcher.js';
import { compileProjection, positionalPath } from '../query/projection.js';
import type { SlicedBody } from '../store/slices.js';
import type { Writer } from '../store/writer.js';
import { type Args, refuse } from './args.js';
import { type Command, type Ctx, letVars, namespaceOf, requireWritable, write } from './context.js';
import { removeDocuments, type StatementTarget, updateDocuments } from './modify.js';
import { failWrite, statementIds } from './statements.js';
import { updateOf } from './update.js';

function targetOf(ctx: Ctx, ns: string): StatementTarget {
  const { args } = ctx;
  return {
    ns,
    filter: args.document('query') ?? {},
    sort: sortFields(args.document('sort')),
    hint: args.get('hint'),
    vars: letVars(ctx),
    multi: false,
    apiStrict: ctx.apiStrict,
  };
}

function* modify(ctx: Ctx, writer: Writer, ns: string): SlicedBody<Doc> {
  const { args } = ctx;
  const target = targetOf(ctx, ns);
  const project = projection(args, target);
  if (args.boolean('remove')) {
    const { removed, last } = yield* removeDocuments(writer, target);
    return { lastErrorObject: { n: new Int32(removed) }, value: last ? project(last) : null };
  }
  const update = updateOf(ctx, args, 'update', target.vars);
  const outcome = yield* updateDocuments(writer, target, update, args.boolean('upsert'));
  const upserted = outcome.upsertedId !== undefined;
  const value = args.boolean('new') ? outcome.after : outcome.before;
  const n = new Int32(outcome.matched > 0 || upserted ? 1 : 0);
  const more: Doc = upserted ? { upserted: outcome.upsertedId } : {};
  return {
    lastErrorObject: { n, updatedExisting: outcome.matched > 0, ...more },
    value: value ? project(value) : null,
  };
}

function projection(args: Args, target: StatementTarget): (doc: Doc) => Doc {
  const fields = args.document('fields');
  if (!fields || Object.keys(fields).length === 0) return (doc) => doc;
  if (args.boolean('new') && positionalPath(fields) !== undefined)
    fail('BadValue', 'cannot use a positional projection and return the new document');
  const env = { vars: target.vars };
  const project = compileProjection(fields, compileFilter(target.filter, env), env);
  return (doc) => project(doc);
}

function requireSense(args: Args): void {
  const remove = args.boolean('remove');
  if (remove && args.has('update')) fail('FailedToParse', 'Cannot specify both an update and remove=true');
  if (remove && args.boolean('upsert')) fail('FailedToParse', 'Cannot specify both upsert=true and remove=true');
  if (remove && args.boolean('new')) {
    fail('FailedToParse', "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  }
  if (!remove && !args.has('update')) fail('FailedToParse', 'Either an update or remove=true must be specified');
}

function* once(ctx: Ctx, writer: Writer, ns: string): SlicedBody<Doc> {
  const id = statementIds(ctx, 1)[0] ?? 0;
  const earlier = ctx.retryable ? ctx.session?.done.get(id) : undefined;
  if (earlier) return { ...earlier, retriedStmtId: new Int32(id) };
  failWrite(ctx);
  const reply = yield* modify(ctx, writer, ns);
  if (ctx.retryable) ctx.session?.remember(id, reply);
  return reply;
}

/** Changes or removes one document and returns it, as before or after the change. */
export const findAndModifyCommand: Command = {
  name: 'findAndModify',
  aliases: ['findandmodify'],
  help: 'updates or removes one document and returns it',
  fields: [
    ...['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'bypassDocumentValidation'],
    ...['collation', 'arrayFilters', 'hint', 'let', 'stmtId'],
  ],
  inTransaction: true,
  stable: true,
  retryable: true,
  writes: true,
  run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    refuse(ctx.args, ['collation']);
    requireSense(ctx.args);
    return write(ctx, (writer) => once(ctx, writer, ns));
  },
};
