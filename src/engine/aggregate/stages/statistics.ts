// $indexStats and $collStats (count): statistics of the collection.
import { Long } from 'bson';
import { type Doc, isDocument, typeName } from '../../bson/types.js';
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

async function* collectionStats(env: RunEnv, wantsCount: boolean): AsyncGenerator<Doc> {
  const doc: Doc = { ns: env.namespace, host: env.host, localTime: env.now };
  if (wantsCount) doc.count = countValue(await env.count());
  yield doc;
}

/** $collStats: {count: {}}; the other statistics are refused. */
export const collStats: StageCompiler = (spec) => {
  const options = documentSpec(spec, 5447000, `$collStats must take a nested object but found: ${typeName(spec)}`);
  for (const name of Object.keys(options)) {
    if (name === 'count') documentSpec(options.count, 40480, 'count argument must be an object');
    else if (['latencyStats', 'storageStats', 'queryExecStats'].includes(name)) {
      fail('NotImplemented', `The option '${name}' of $collStats is not supported by this store`);
    } else fail('IDLUnknownField', `BSON field '$collStats.${name}' is an unknown field.`);
  }
  return { kind: 'stream', run: (_source, env) => collectionStats(env, options.count !== undefined) };
};
