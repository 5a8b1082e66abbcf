// $bucket, as a $group over a $switch, and $bucketAuto.
import { compareValues, equalValues, typeBracket } from '../../bson/compare.js';
import { integralValue } from '../../bson/numbers.js';
import { roughSize } from '../../bson/rough-size.js';
import { type Doc, isDocument, isNumber, setOwn, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { compileAccumulator, type GroupAccumulator } from '../../expressions/accumulators/table.js';
import { compileNode, compilerFor } from '../../expressions/expression.js';
import { int, namedArguments } from '../../expressions/operator.js';
import { documentSpec, inSequence, MemoryMeter, type RunEnv, type StageCompiler } from '../stage.js';
import type { Evaluate } from '../../expressions/types.js';
import { group } from './group.js';
import { compileSort } from './sort.js';

const COUNT: Doc = { count: { $sum: int(1) } };

function constantOf(value: unknown, what: string): unknown {
  const node = compileNode(value);
  return node.constant ? node.run({}, {}) : fail(40191, `${what} to $bucket must be constant`);
}

function readBoundaries(value: unknown): unknown[] {
  if (!Array.isArray(value))
    fail(40200, `The $bucket 'boundaries' field must be an array, but found type: ${typeName(value)}.`);
  const boundaries = value.map((each) => constantOf(each, "The 'boundaries'"));
  if (boundaries.length < 2)
    fail(40192, `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length} value(s).`);
  for (let i = 1; i < boundaries.length; i++) {
    const [low, high] = [boundaries[i - 1], boundaries[i]];
    if (typeBracket(low) !== typeBracket(high)) {
      fail(
        40193,
        `All values in the the 'boundaries' option to $bucket must have the same type. Found conflicting types ${typeName(low)} and ${typeName(high)}.`,
      );
    }
    if (compareValues(low, high) >= 0)
      fail(40194, "The 'boundaries' option to $bucket must be sorted in ascending order.");
  }
  return boundaries;
}

function checkDefault(value: unknown, boundaries: unknown[]): unknown {
  const fallback = constantOf(value, "The 'default'");
  if (compareValues(fallback, boundaries[0]) >= 0 && compareValues(fallback, boundaries.at(-1)) < 0) {
    fail(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  }
  return fallback;
}

function checkGroupBy(stage: string, code: number, value: unknown): void {
  const path = typeof value === 'string' && value.startsWith('$');
  const expression = isDocument(value) && Object.keys(value)[0]?.startsWith('$') === true;
  if (!path && !expression)
    fail(
      code,
      `The ${stage} 'groupBy' field must be defined as a $-prefixed path or an expression, but found: ${String(value)}.`,
    );
}

function bucketId(id: Doc): Doc {
  const boundaries = readBoundaries(id.boundaries);
  const branches = boundaries.slice(0, -1).map((low, i) => ({
    case: { $and: [{ $gte: ['$$value', { $literal: low }] }, { $lt: ['$$value', { $literal: boundaries[i + 1] }] }] },
    // biome-ignore lint/suspicious/noThenProperty: `then` is the name $switch takes
    then: { $literal: low },
  }));
  const choice: Doc = { branches };
  if (id.default !== undefined) choice.default = { $literal: checkDefault(id.default, boundaries) };
  return { $let: { vars: { value: id.groupBy }, in: { $switch: choice } } };
}

/** $bucket: {groupBy, boundaries, default, output}. */
export const bucket: StageCompiler = (spec, context) => {
  const args = namedArguments('$bucket', spec, {
    required: ['groupBy', 'boundaries'],
    optional: ['default', 'output'],
    notDocument: 40201,
    unknown: 40197,
    missing: 40198,
  });
  checkGroupBy('$bucket', 40202, args.groupBy);
  const output =
    args.output === undefined
      ? COUNT
      : documentSpec(args.output, 40196, "The $bucket 'output' field must be an object");
  return inSequence([group({ _id: bucketId(args), ...output }, context), compileSort({ _id: int(1) })]);
};

interface AutoBuckets {
  groupBy: Evaluate;
  buckets: number;
  fields: { name: string; accumulator: GroupAccumulator }[];
}

interface BucketEntry {
  value: unknown;
  doc: Doc;
}

function fillBucket(entries: BucketEntry[], next: BucketEntry | undefined, auto: AutoBuckets, env: RunEnv): Doc {
  const first = entries[0]?.value;
  const id = { min: first, max: next ? next.value : entries.at(-1)?.value };
  const result: Doc = { _id: id };
  for (const { name, accumulator } of auto.fields) {
    const state = accumulator.start({}, env.scope);
    for (const { doc } of entries) state.add(accumulator.input(doc, env.scope));
    setOwn(result, name, state.result() ?? null);
  }
  return result;
}

/** Buckets of about the same size; equal values share one, and the last takes the remainder. */
function* autoBuckets(entries: BucketEntry[], auto: AutoBuckets, env: RunEnv): Generator<Doc> {
  const size = Math.max(1, Math.round(entries.length / auto.buckets));
  let from = 0;
  for (let number = 1; from < entries.length; number++) {
    let to = number === auto.buckets ? entries.length : Math.min(entries.length, from + size);
    while (to < entries.length && equalValues(entries[to]?.value, entries[to - 1]?.value)) to += 1;
    yield fillBucket(entries.slice(from, to), entries[to], auto, env);
    from = to;
  }
}

async function* autoBucketed(source: AsyncIterable<Doc>, auto: AutoBuckets, env: RunEnv): AsyncGenerator<Doc> {
  const meter = new MemoryMeter('$bucketAuto');
  const entries: BucketEntry[] = [];
  for await (const doc of source) {
    meter.add(roughSize(doc));
    entries.push({ value: auto.groupBy(doc, env.scope) ?? null, doc });
  }
  entries.sort((a, b) => compareValues(a.value, b.value));
  yield* autoBuckets(entries, auto, env);
}

/** $bucketAuto: {groupBy, buckets, output}; `granularity` is refused. */
export const bucketAuto: StageCompiler = (spec, { names }) => {
  const args = namedArguments('$bucketAuto', spec, {
    required: ['groupBy', 'buckets'],
    optional: ['output', 'granularity'],
    notDocument: 40240,
    unknown: 40245,
    missing: 40246,
  });
  if (args.granularity !== undefined)
    fail('NotImplemented', "The option 'granularity' of $bucketAuto is not supported by this store");
  checkGroupBy('$bucketAuto', 40239, args.groupBy);
  const buckets = isNumber(args.buckets)
    ? integralValue(args.buckets)
    : fail(40241, "The $bucketAuto 'buckets' field must be a numeric value");
  if (buckets === undefined || buckets > 0x7fffffffn)
    return fail(40242, "The $bucketAuto 'buckets' field must be representable as a 32-bit integer");
  if (buckets <= 0n) fail(40243, "The $bucketAuto 'buckets' field must be greater than 0");
  const output =
    args.output === undefined
      ? COUNT
      : documentSpec(args.output, 40244, "The $bucketAuto 'output' field must be an object");
  const compiler = compilerFor(names);
  const auto: AutoBuckets = {
    groupBy: compiler.compile(args.groupBy).run,
    buckets: Number(buckets),
    fields: Object.keys(output).map((name) => ({
      name,
      accumulator: compileAccumulator(name, output[name], compiler),
    })),
  };
  return { kind: 'stream', run: (source, env) => autoBucketed(source, auto, env) };
};
