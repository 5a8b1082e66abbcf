// $unwind: one document for each element of an array.
import { Long } from 'bson';
import { getPath } from '../../bson/paths.js';
import { type Doc, isDocument, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { fieldPathParts } from '../../expressions/field-path.js';
import { withPath } from '../set-path.js';
import type { StageCompiler } from '../stage.js';

interface Unwind {
  parts: string[];
  index: string[] | undefined;
  preserve: boolean;
}

function* unwound(doc: Doc, { parts, index, preserve }: Unwind): Generator<Doc> {
  const value = getPath(doc, parts);
  const numbered = (result: Doc, at: Long | null): Doc => (index ? withPath(result, index, at) : result);
  if (!Array.isArray(value)) {
    if (preserve || (value !== null && value !== undefined)) yield numbered(doc, null);
  } else if (value.length === 0) {
    if (preserve) yield numbered(withPath(doc, parts, undefined), null);
  } else {
    for (let i = 0; i < value.length; i++) {
      yield numbered(withPath(doc, parts, value[i] ?? null), Long.fromNumber(i));
    }
  }
}

async function* unwindAll(source: AsyncIterable<Doc>, unwind: Unwind): AsyncGenerator<Doc> {
  for await (const doc of source) yield* unwound(doc, unwind);
}

function readOptions(spec: Doc): Unwind & { path: string } {
  const result = { path: '', parts: [], index: undefined as string[] | undefined, preserve: false };
  for (const name of Object.keys(spec)) {
    const value = spec[name];
    if (name === 'path') {
      result.path =
        typeof value === 'string'
          ? value
          : fail(28808, `expected a string as the path for $unwind stage, got ${typeName(value)}`);
    } else if (name === 'preserveNullAndEmptyArrays') {
      result.preserve =
        typeof value === 'boolean'
          ? value
          : fail(
              28809,
              `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(value)}`,
            );
    } else if (name === 'includeArrayIndex') {
      if (typeof value !== 'string' || value === '')
        fail(
          28810,
          `expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ${typeName(value)}`,
        );
      if (value.startsWith('$'))
        fail(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${value}`);
      result.index = fieldPathParts(value);
    } else {
      fail(28811, `unrecognized option to $unwind stage: ${name}`);
    }
  }
  return result;
}

/** $unwind: "$path" or {path, includeArrayIndex, preserveNullAndEmptyArrays}. */
export const unwind: StageCompiler = (spec) => {
  if (typeof spec !== 'string' && !isDocument(spec)) {
    return fail(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(spec)}`,
    );
  }
  const options = readOptions(typeof spec === 'string' ? { path: spec } : spec);
  if (options.path === '') fail(28812, 'no path specified to $unwind stage');
  if (!options.path.startsWith('$'))
    fail(28818, `path option to $unwind stage should be prefixed with a '$': ${options.path}`);
  options.parts = fieldPathParts(options.path.slice(1));
  return { kind: 'stream', run: (source) => unwindAll(source, options) };
};
