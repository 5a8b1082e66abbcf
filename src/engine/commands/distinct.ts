// distinct
import { MAX_DOCUMENT_BYTES, toBytes } from '../bson/codec.js';
import { valueKey } from '../bson/sort-key.js';
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';
import { prepare, prepareNothing } from '../planner/execute.js';
import { distinctValues } from '../query/distinct-values.js';
import { docOf } from '../store/view.js';
import { refuse } from './args.js';
import { type Command, type Ctx, findCollection, namespaceOf, viewOf } from './context.js';
import { eachRow } from './read.js';

/** Bytes that the values of a reply may take. */
const MAX_VALUES_BYTES = MAX_DOCUMENT_BYTES - 4096;

/** Distinct values in the order in which they first occur. */
class DistinctValues {
  readonly #byKey = new Map<string, unknown>();
  #bytes = 0;

  /** Throws 17217 when the values no longer fit into a reply. */
  add(value: unknown): void {
    const key = valueKey(value);
    if (this.#byKey.has(key)) return;
    this.#bytes += toBytes({ v: value }).length;
    if (this.#bytes > MAX_VALUES_BYTES) fail(17217, 'distinct too big, 16mb cap');
    this.#byKey.set(key, value);
  }

  all(): unknown[] {
    return [...this.#byKey.values()];
  }
}

/** The distinct values of one path; arrays count element by element. */
export const distinctCommand: Command = {
  name: 'distinct',
  help: 'returns the distinct values of a field',
  fields: ['key', 'query', 'collation'],
  inTransaction: true,
  reads: true,
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    refuse(ctx.args, ['collation']);
    const path = ctx.args.requiredString('key');
    const filter = ctx.args.document('query') ?? {};
    const collection = findCollection(ctx, ns);
    if (!collection) {
      prepareNothing(filter);
      return { values: [] };
    }
    const query = prepare({ view: viewOf(ctx), collection, filter, apiStrict: ctx.apiStrict });
    const values = new DistinctValues();
    await eachRow(ctx, query.scan, (row) => {
      for (const value of distinctValues(docOf(row), path)) values.add(value);
    });
    return { values: values.all(), ...(ctx.atClusterTime ? { atClusterTime: ctx.atClusterTime } : {}) };
  },
};
