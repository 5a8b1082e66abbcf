// Stages of a few lines each: $match, $limit, $skip, $count, $replaceRoot/$replaceWith, $documents.

import { Long } from 'bson';
import { integralValue } from '../../bson/numbers.js';
import { type Doc, isDocument, isNumber, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { compileFilter } from '../../query/matcher.js';
import { compileNode } from '../../expressions/expression.js';
import { int, namedArguments } from '../../expressions/operator.js';
import { documentSpec, type Stage, type StageCompiler } from '../stage.js';
import type { Vars } from '../../expressions/types.js';

/** $match. The filter is compiled again for each set of variables, since `$expr` binds them. */
export const match: StageCompiler = (spec, { names }) => {
  const filter = documentSpec(spec, 15959, 'the match filter must be an expression in an object');
  const probe: Vars = Object.create(null);
  for (const name of names) probe[name] = null;
  compileFilter(filter, { vars: probe });
  let current: { vars: Vars; test: (doc: Doc) => boolean } | undefined;
  return {
    kind: 'map',
    map: (doc, vars) => {
      if (current?.vars !== vars) current = { vars, test: compileFilter(filter, { vars }).test };
      return current.test(doc) ? doc : null;
    },
  };
};

function count(stage: string, value: unknown, least: number, codes: { type: number; range: number }): number {
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === undefined)
    return fail(codes.type, `invalid argument to ${stage} stage: Expected an integer: ${stage}: ${String(value)}`);
  if (whole < BigInt(least)) {
    const what = least === 0 ? 'non-negative' : 'positive';
    fail(codes.range, `invalid argument to ${stage} stage: Expected a ${what} number in: ${stage}: ${whole}`);
  }
  return Number(whole);
}

/** The number of a $limit stage (a positive integer, 15957 and 15958 otherwise). */
export function limitCount(spec: unknown): number {
  return count('$limit', spec, 1, { type: 15957, range: 15958 });
}

/** The number of a $skip stage (an integer from 0 up, 15972 and 15956 otherwise). */
export function skipCount(spec: unknown): number {
  return count('$skip', spec, 0, { type: 15972, range: 15956 });
}

async function* take(source: AsyncIterable<Doc>, most: number): AsyncGenerator<Doc> {
  let position = 0;
  for await (const doc of source) {
    yield doc;
    position += 1;
    if (position >= most) return;
  }
}

/** $limit: reads no further once it has enough. */
export const limit: StageCompiler = (spec) => {
  const most = limitCount(spec);
  return { kind: 'stream', run: (source) => take(source, most), takes: most };
};

async function* drop(source: AsyncIterable<Doc>, count: number): AsyncGenerator<Doc> {
  let left = count;
  for await (const doc of source) {
    if (left > 0) left -= 1;
    else yield doc;
  }
}

/** $skip. */
export const skip: StageCompiler = (spec) => {
  const most = skipCount(spec);
  return { kind: 'stream', run: (source) => drop(source, most), skips: most };
};

/** A count as MongoDB types it: int while it fits, then long. */
export function countValue(value: number): unknown {
  return value <= 0x7fffffff ? int(value) : Long.fromNumber(value);
}

async function* countAll(source: AsyncIterable<Doc>, field: string): AsyncGenerator<Doc> {
  let position = 0;
  for await (const _doc of source) position += 1;
  if (position > 0) yield { [field]: countValue(position) };
}

/** $count: one document, or none over an empty input. */
export const countStage: StageCompiler = (spec) => {
  if (typeof spec !== 'string') return fail(40156, 'the count field must be a non-empty string');
  if (spec === '') fail(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) fail(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('\0')) fail(40159, 'the count field cannot contain a null byte');
  if (spec.includes('.')) fail(40160, "the count field cannot contain '.'");
  return { kind: 'stream', run: (source) => countAll(source, spec) };
};

function replacement(name: string, expression: unknown, names: readonly string[]): Stage {
  const { run } = compileNode(expression, names);
  return {
    kind: 'map',
    map: (doc, vars) => {
      const root = run(doc, vars);
      if (isDocument(root)) return root;
      return fail(
        40228,
        `'${name}' expression must evaluate to an object, but resulting value was of type: ${typeName(root)}`,
      );
    },
  };
}

/** $replaceRoot: {newRoot: <expression>}. */
export const replaceRoot: StageCompiler = (spec, { names }) => {
  const args = namedArguments('$replaceRoot', spec, {
    required: ['newRoot'],
    notDocument: 40229,
    unknown: 'IDLUnknownField',
    missing: 'IDLFailedToParse',
  });
  return replacement('newRoot', args.newRoot, names);
};

/** $replaceWith: <expression>. */
export const replaceWith: StageCompiler = (spec, { names }) => replacement('replacement document', spec, names);

/** $documents: an expression over constants that returns an array of documents. */
export const documents: StageCompiler = (spec, { names }) => {
  const { run } = compileNode(spec, names);
  return {
    kind: 'stream',
    run: async function* (_source, env) {
      const list = run({}, env.scope);
      if (!Array.isArray(list)) return fail(5858203, `an array is expected in $documents, found ${typeName(list)}`);
      for (const doc of list) {
        if (!isDocument(doc)) fail(40228, `$documents elements must be objects, found ${typeName(doc)}`);
        yield doc;
      }
    },
  };
};
