// What the aggregation tests share: values as they come off the wire, and results as canonical extended JSON.
import { EJSON } from 'bson';
import { compileExpression } from '../../../src/engine/expressions/expression.js';
import { runPipeline } from '../../../src/engine/aggregate/pipeline.js';
import { baseVars, type ForeignSource, type PipelineEnv } from '../../../src/engine/expressions/types.js';
import { decode, toBytes } from '../../../src/engine/bson/codec.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { MongoError } from '../../../src/engine/errors.js';
import { compileFilter } from '../../../src/engine/query/matcher.js';

/** The time that `$$NOW` stands for. */
export const NOW = new Date('2024-02-29T12:34:56.789Z');

/** A value as the engine decodes it: an integer becomes an Int32, another number a Double. */
export function fromWire(value: unknown): unknown {
  return decode(toBytes({ value })).value;
}

/** Canonical extended JSON, "missing" for undefined. */
export function shown(value: unknown): string {
  return value === undefined ? 'missing' : EJSON.stringify({ value }, { relaxed: false });
}

/** Evaluates an expression over a document, with NOW. */
export function evaluate(expression: unknown, doc: Doc = {}, vars: Doc = {}): unknown {
  const scope = baseVars({ vars: fromWire(vars) as Doc, now: NOW });
  return compileExpression(fromWire(expression), scope)(fromWire(doc) as Doc, scope);
}

/** The error code of what `work` throws; undefined when it throws none. */
export function codeOf(work: () => unknown): number | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof MongoError) return error.code;
    throw error;
  }
  return undefined;
}

async function* each(docs: readonly Doc[]): AsyncGenerator<Doc> {
  yield* docs;
}

/** Collections of a test by name; a foreign read filters them, and records its filter. */
export interface Collections {
  [name: string]: Doc[];
}

/** A pipeline environment over collections in memory; `asked` collects the filters of foreign reads. */
export function environment(collections: Collections = {}, asked: Doc[] = []): PipelineEnv {
  const foreign = (name: string): ForeignSource => ({
    async *find(filter, query = {}) {
      asked.push(filter);
      const test = compileFilter(filter, { vars: query.vars });
      const found = (fromWire(collections[name] ?? []) as Doc[]).filter((doc) => test.test(doc));
      const sorted = query.sort ? await drain(runPipeline([{ $sort: query.sort }], each(found), environment())) : found;
      yield* sorted.slice(query.skip ?? 0, query.limit ? (query.skip ?? 0) + query.limit : undefined);
    },
  });
  const counts = { count: () => 3, indexStats: () => [], sizes: () => ({}) };
  return { namespace: 'test.main', vars: {}, now: NOW, host: 'localhost:1', foreign, ...counts };
}

/** All documents of a stream. */
export async function drain(source: AsyncIterable<Doc>): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of source) docs.push(doc);
  return docs;
}

/** Runs a pipeline over documents. */
export function aggregate(
  docs: readonly Doc[],
  stages: readonly Doc[],
  env: PipelineEnv = environment(),
): Promise<Doc[]> {
  return drain(runPipeline(fromWire(stages) as Doc[], each(fromWire(docs) as Doc[]), env));
}

/** Fields in order. For operators with a field named `then`, which an object literal must not have. */
export function fields(...entries: [name: string, value: unknown][]): Doc {
  return Object.fromEntries(entries);
}
