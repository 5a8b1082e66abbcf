// $lookup and $unionWith: read other collections, always through the planner.
import { BRACKET, typeBracket } from '../../bson/compare.js';
import { visitPath } from '../../bson/paths.js';
import { roughSize } from '../../bson/rough-size.js';
import { valueKey } from '../../bson/sort-key.js';
import { type Doc, EncodedDocument, isDocument, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { compileNode } from '../../expressions/expression.js';
import { checkVariableName } from '../../expressions/conditional.js';
import { fieldPathParts } from '../../expressions/field-path.js';
import { withPath } from '../set-path.js';
import { MEMORY_LIMIT, type RunEnv, type StageCompiler, type StageContext } from '../stage.js';
import type { EachEncoded, Evaluate, Vars } from '../../expressions/types.js';
import { type Extra, type ForeignPipeline, foreignPipeline, leadOf, runForeign, stagesOf } from './foreign.js';

/** A compiled $lookup. */
interface Lookup {
  as: string[];
  local: string[] | undefined;
  foreignField: string;
  lets: { name: string; value: Evaluate }[];
  pipeline: ForeignPipeline;
  /** Whether equal local values and variables give equal results. */
  repeatable: boolean;
}

const FIELDS = ['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'];

function checkLookup(spec: Doc): void {
  for (const name of Object.keys(spec)) {
    if (!FIELDS.includes(name)) fail('FailedToParse', `unknown argument to $lookup: ${name}`);
  }
  for (const name of ['as', 'localField', 'foreignField']) {
    const value = spec[name];
    if (value !== undefined && typeof value !== 'string') {
      fail(
        'FailedToParse',
        `$lookup argument '${name}: ${String(value)}' must be a string, found type ${typeName(value)}`,
      );
    }
  }
  if (spec.as === undefined) fail('FailedToParse', "must specify 'as' field for a $lookup");
  if ((spec.localField === undefined) !== (spec.foreignField === undefined)) {
    fail('FailedToParse', "$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  }
  if (spec.localField === undefined && spec.pipeline === undefined) {
    fail('FailedToParse', "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  }
  if (spec.let !== undefined && !isDocument(spec.let)) {
    fail(
      'FailedToParse',
      `$lookup argument 'let: ${String(spec.let)}' must be an object, is type ${typeName(spec.let)}`,
    );
  }
}

function usesChance(stages: unknown): boolean {
  if (Array.isArray(stages)) return stages.some(usesChance);
  if (!isDocument(stages)) return false;
  return Object.keys(stages).some(
    (name) => ['$rand', '$sample', '$sampleRate'].includes(name) || usesChance(stages[name]),
  );
}

function readLookup(spec: Doc, context: StageContext): Lookup {
  checkLookup(spec);
  const letSpec = isDocument(spec.let) ? spec.let : {};
  const lets = Object.keys(letSpec).map((name) => {
    checkVariableName(name);
    return { name, value: compileNode(letSpec[name], context.names).run };
  });
  const stages = spec.pipeline === undefined ? [] : stagesOf(spec.pipeline, '$lookup');
  const names = [...context.names, ...lets.map((each) => each.name)];
  const foreignField = spec.foreignField === undefined ? '' : (spec.foreignField as string);
  if (foreignField !== '') fieldPathParts(foreignField);
  return {
    as: fieldPathParts(spec.as as string),
    local: spec.localField === undefined ? undefined : fieldPathParts(spec.localField as string),
    foreignField,
    lets,
    pipeline: foreignPipeline(spec.from, stages, names, context, 'lookup'),
    repeatable: !usesChance(stages),
  };
}

/** The values to join on: an array counts as its elements, a missing field as null. */
function localValues(doc: Doc, parts: string[]): unknown[] {
  const values: unknown[] = [];
  visitPath(doc, { parts, leafArrays: false }, (value) => {
    if (Array.isArray(value)) for (const each of value) values.push(each);
    else if (value !== undefined) values.push(value);
    return false;
  });
  return values.length > 0 ? values : [null];
}

/** A regular expression is joined as a value; `$in` would use it as a pattern. */
function joinFilter(field: string, values: unknown[]): Doc {
  if (values.length === 1) return { [field]: { $eq: values[0] } };
  if (values.some((value) => typeBracket(value) === BRACKET.regex)) {
    return { $or: values.map((value) => ({ [field]: { $eq: value } })) };
  }
  return { [field]: { $in: values } };
}

const CACHE_BYTES = 16 * 1024 * 1024;

/** Results by filter and variables; all are dropped when they take too much memory. */
class Cache {
  readonly #cache = new Map<string, Doc[]>();
  #bytes = 0;

  get(key: string): Doc[] | undefined {
    return this.#cache.get(key);
  }

  set(key: string, docs: Doc[]): void {
    this.#bytes += key.length + roughSize(docs);
    if (this.#bytes > CACHE_BYTES) {
      this.#cache.clear();
      this.#bytes = 0;
    } else {
      this.#cache.set(key, docs);
    }
  }
}

function requireRoom(bytes: number, from: string): void {
  if (bytes <= MEMORY_LIMIT) return;
  fail(4568, `Total size of documents in ${from} matching pipeline's $lookup stage exceeds ${MEMORY_LIMIT} bytes`);
}

async function collect(source: AsyncIterable<Doc>, from: string): Promise<Doc[]> {
  const docs: Doc[] = [];
  let bytes = 0;
  for await (const doc of source) {
    docs.push(doc);
    bytes += roughSize(doc);
    requireRoom(bytes, from);
  }
  return docs;
}

/** As `collect`, with the documents as stored bytes. */
function collectEncoded(each: EachEncoded, { from }: ForeignPipeline, lead: Lead): MaybePromise<Doc[]> {
  const docs: Doc[] = [];
  let size = 0;
  const rest = each(lead.filter, lead.query, (bytes) => {
    docs.push(new EncodedDocument(bytes) as unknown as Doc);
    size += bytes.length;
    requireRoom(size, from);
  });
  return rest ? rest.then(() => docs) : docs;
}

type MaybePromise<T> = T | Promise<T>;
type Lead = ReturnType<typeof leadOf>;

/** `encoded`: whether the found documents may be returned as bytes. */
async function* joined(source: AsyncIterable<Doc>, lookup: Lookup, env: RunEnv, encoded: boolean): AsyncGenerator<Doc> {
  const cache = new Cache();
  const similar = {};
  const { pipeline } = lookup;
  const { shows } = pipeline;
  const each = encoded && shows !== undefined ? env.foreign(pipeline.from).encoded?.(shows) : undefined;
  for await (const doc of source) {
    const values = lookup.local ? localValues(doc, lookup.local) : [];
    const lets = lookup.lets.map((each) => each.value(doc, env.scope));
    const key = lookup.repeatable ? valueKey([values, ...lets.map(boxed)]) : '';
    let docs = lookup.repeatable ? cache.get(key) : undefined;
    if (!docs) {
      const scope = scopeOf(lookup, lets, env);
      const extra = joinOf(lookup, values, similar);
      const found = each
        ? collectEncoded(each, pipeline, leadOf(pipeline, extra, scope))
        : collect(runForeign(pipeline, extra, { ...env, scope }), pipeline.from);
      docs = found instanceof Promise ? await found : found;
      if (lookup.repeatable) cache.set(key, docs);
    }
    yield withPath(doc, lookup.as, docs);
  }
}

/** Distinguishes missing from null in a key. */
function boxed(value: unknown): Doc {
  return value === undefined ? {} : { value };
}

/** The variables that the pipeline sees for one document. */
function scopeOf(lookup: Lookup, lets: unknown[], env: RunEnv): Vars {
  if (lets.length === 0) return env.scope;
  const scope: Vars = Object.assign(Object.create(null), env.scope);
  lookup.lets.forEach((each, i) => {
    scope[each.name] = lets[i];
  });
  return scope;
}

/** The filter of one document's join. */
function joinOf({ local, foreignField: field, lets, pipeline }: Lookup, values: unknown[], similar: object): Extra {
  if (!local) return { similar };
  const isAlone = values.length === 1 && lets.length === 0;
  return {
    similar,
    filter: () => joinFilter(field, values),
    join: isAlone ? { field, value: values[0], rest: pipeline.lead.filter } : undefined,
  };
}

/** $lookup: by equal fields, by a pipeline with `let`, or both. */
export const lookup: StageCompiler = (spec, context) => {
  if (!isDocument(spec))
    fail('FailedToParse', `the $lookup stage specification must be an object, but found ${typeName(spec)}`);
  const compiled = readLookup(spec, context);
  return {
    kind: 'stream',
    run: (source, env) => joined(source, compiled, env, false),
    last: { kind: 'stream', run: (source, env) => joined(source, compiled, env, true) },
  };
};

async function* union(source: AsyncIterable<Doc>, pipeline: ForeignPipeline, env: RunEnv): AsyncGenerator<Doc> {
  yield* source;
  yield* runForeign(pipeline, {}, env);
}

/** $unionWith: "collection" or {coll, pipeline}. */
export const unionWith: StageCompiler = (spec, context) => {
  if (typeof spec !== 'string' && !isDocument(spec)) {
    fail(
      'FailedToParse',
      `the $unionWith stage specification must be an object or string, but found ${typeName(spec)}`,
    );
  }
  const target: Doc = typeof spec === 'string' ? { coll: spec } : spec;
  for (const name of Object.keys(target)) {
    if (name !== 'coll' && name !== 'pipeline')
      fail('IDLUnknownField', `BSON field '$unionWith.${name}' is an unknown field.`);
  }
  const stages = target.pipeline === undefined ? [] : stagesOf(target.pipeline, '$unionWith');
  const pipeline = foreignPipeline(target.coll, stages, [...context.names], context, 'unionWith');
  return { kind: 'stream', run: (source, env) => union(source, pipeline, env) };
};
