// $indexStats and $collStats (count and storageStats): statistics of the pipeline's collection.
import { Long } from 'bson';
import { type Doc, isDocument, isNumber, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { documentSpec, type RunEnv, type StageCompiler } from '../stage.js';
import { countValue } from './simple.js';

async function* indexUse(env: RunEnv): AsyncGenerator<Doc> {
  for (const { name, key, ops, since, spec } of await env.indexStats()) {
    yield { name, key, host: env.host, accesses: { ops: Long.fromNumber(ops), since }, spec };
  }
}

/** $indexStats: {}. */
export const indexStats: StageCompiler = (spec) => {
  if (!isDocument(spec) || Object.keys(spec).length > 0) {
    fail(28803, 'The $indexStats stage specification must be an empty object');
  }
  return { kind: 'stream', run: (_source, env) => indexUse(env) };
};

/** The divisor of sizes; undefined if `storageStats` is absent. */
function scaleOf(storageStats: unknown): number | undefined {
  if (storageStats === undefined) return undefined;
  const { scale = 1, ...others } = documentSpec(
    storageStats,
    'TypeMismatch',
    'storageStats argument must be an object',
  );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    fail('IDLUnknownField', `BSON field '$collStats.storageStats.${unknown}' is an unknown field.`);
  const divisor = isNumber(scale) ? Math.trunc(Number(scale)) : Number.NaN;
  return divisor >= 1 ? divisor : fail(51024, "BSON field 'scale' value must be >= 1");
}

async function* collectionStats(env: RunEnv, wantsCount: boolean, scale: number | undefined): AsyncGenerator<Doc> {
  const doc: Doc = { ns: env.namespace, host: env.host, localTime: env.now };
  if (scale !== undefined) doc.storageStats = await env.sizes(scale);
  if (wantsCount) doc.count = countValue(await env.count());
  yield doc;
}

/** $collStats: {count: {}, storageStats: {scale}}; the other statistics are refused. */
export const collStats: StageCompiler = (spec) => {
  const options = documentSpec(spec, 5447000, `$collStats must take a nested object but found: ${typeName(spec)}`);
  for (const name of Object.keys(options)) {
    if (name === 'count') documentSpec(options.count, 40480, 'count argument must be an object');
    else if (name === 'storageStats') continue;
    else if (['latencyStats', 'queryExecStats'].includes(name)) {
      fail('NotImplemented', `The option '${name}' of $collStats is not supported by this store`);
    } else fail('IDLUnknownField', `BSON field '$collStats.${name}' is an unknown field.`);
  }
  const scale = scaleOf(options.storageStats);
  return { kind: 'stream', run: (_source, env) => collectionStats(env, options.count !== undefined, scale) };
};
