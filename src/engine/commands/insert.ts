// insert
import { Int32 } from 'bson';
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';
import { attempt, type SlicedBody } from '../store/slices.js';
import type { Writer } from '../store/writer.js';
import type { Args } from './args.js';
import { type Command, type Ctx, namespaceOf, requireWritable, write } from './context.js';
import { insertDocument, newDocument } from './modify.js';
import { batchReply, runStatements, type StatementOutcome, statementIds } from './statements.js';

/** Documents of a batch; MongoDB's limit for one command. */
export const MAX_BATCH = 100_000;

/** The statements of a batch. Throws InvalidLength (16) for none or more than 100,000. */
export function batchOf(args: Args, name: string): Doc[] {
  const docs = args.documents(name) ?? args.missing(name);
  if (docs.length > 0 && docs.length <= MAX_BATCH) return docs;
  return fail('InvalidLength', `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${docs.length} operations.`);
}

function* insertOne(ctx: Ctx, writer: Writer, ns: string, original: Doc): SlicedBody<StatementOutcome> {
  const doc = newDocument(original, ctx.engine.oplog.clock);
  yield* attempt(() => {
    const collection = writer.collection(ns, {});
    if (collection) insertDocument(writer, collection, doc);
  });
  return { n: 1, result: null };
}

/** Inserts documents; creates the collection if it is missing. */
export const insertCommand: Command = {
  name: 'insert',
  help: 'inserts documents',
  fields: ['documents', 'ordered', 'bypassDocumentValidation', 'stmtId', 'stmtIds'],
  inTransaction: true,
  stable: true,
  retryable: true,
  writes: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    requireWritable(ns);
    const docs = batchOf(ctx.args, 'documents');
    const ids = statementIds(ctx, docs.length);
    const ordered = ctx.args.boolean('ordered', true);
    const outcome = await write(ctx, (writer) =>
      runStatements(
        ctx,
        ids,
        ordered,
        docs.map((doc) => () => insertOne(ctx, writer, ns, doc)),
      ),
    );
    return batchReply(outcome, { n: new Int32(outcome.n) });
  },
};
