// Parses an update document into modifications by path, with MongoDB's checks on paths and conflicts.
import { splitPath } from '../bson/paths.js';
import { showValue } from '../bson/show.js';
import { type Doc, isDocument, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import type { FilterEnv } from '../query/matcher.js';
import type { ArrayFilters } from './array-filters.js';
import { ARRAY_OPERATORS, compilePull } from './array-operators.js';
import { FIELD_OPERATORS } from './field-operators.js';
import type { OperatorCompiler, UpdateOperation } from './operation.js';
import { push } from './push.js';

/** One operator at one path; the path may have positional parts. A rename also has its source field. */
export interface Modification {
  parts: string[];
  operation: UpdateOperation | { renameFrom: string[] };
}

const POSITIONAL = /^\$(?:\[([^\]]*)\])?$/;

/** The identifier of a positional part: "$" itself, "" for `$[]`, the name for `$[name]`; undefined for an ordinary part. */
export function positionalOf(part: string): string | undefined {
  const match = POSITIONAL.exec(part);
  if (!match) return undefined;
  return match[1] ?? '$';
}

function checkPart(part: string, path: string, filters: ArrayFilters): void {
  if (part === '')
    fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed.`);
  const positional = positionalOf(part);
  if (positional !== undefined && positional !== '$' && positional !== '') filters.require(positional, path);
}

function readPath(path: string, filters: ArrayFilters): string[] {
  if (path === '') fail('EmptyFieldName', 'An empty update path is not valid.');
  const parts = splitPath(path);
  for (const part of parts) checkPart(part, path, filters);
  if (positionalOf(parts[0] ?? '') !== undefined) {
    fail('BadValue', `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  if (parts.filter((part) => part === '$').length > 1) {
    fail('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`);
  }
  return parts;
}

function readRename(from: string, to: unknown, filters: ArrayFilters): Modification {
  if (typeof to !== 'string') {
    fail('BadValue', `The 'to' field for $rename must be a string: ${from}: ${showValue(to)}`);
  }
  const source = readPath(from, filters);
  const target = readPath(to, filters);
  if (from === to) fail('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`);
  if (source.every((part, i) => part === target[i]) || target.every((part, i) => part === source[i])) {
    fail('BadValue', `The source and target field for $rename must not be on the same path: ${from}: "${to}"`);
  }
  for (const [what, parts, path] of [
    ['source', source, from],
    ['destination', target, to],
  ] as const) {
    if (parts.some((part) => positionalOf(part) !== undefined)) {
      fail('BadValue', `The ${what} field for $rename may not be dynamic: ${path}`);
    }
  }
  return { parts: target, operation: { renameFrom: source } };
}

function compilerOf(name: string, env: FilterEnv): OperatorCompiler {
  if (name === '$pull') return compilePull(env);
  if (name === '$push') return push;
  if (Object.hasOwn(FIELD_OPERATORS, name)) return FIELD_OPERATORS[name] as OperatorCompiler;
  if (Object.hasOwn(ARRAY_OPERATORS, name)) return ARRAY_OPERATORS[name] as OperatorCompiler;
  return fail(
    'FailedToParse',
    `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
  );
}

/** The paths used so far, as a tree; two modifications must not change the same field. */
interface Claims {
  below: Map<string, Claims>;
  claimed: boolean;
}

function claim(claims: Claims, parts: readonly string[]): void {
  let at = claims;
  parts.forEach((part, i) => {
    const next = at.below.get(part) ?? { below: new Map(), claimed: false };
    at.below.set(part, next);
    const last = i === parts.length - 1;
    if (next.claimed || (last && next.below.size > 0)) {
      const conflict = parts.slice(0, i + 1).join('.');
      fail(
        'ConflictingUpdateOperators',
        `Updating the path '${parts.join('.')}' would create a conflict at '${conflict}'`,
      );
    }
    next.claimed = last;
    at = next;
  });
}

function isIndex(part: string): boolean {
  return /^[0-9]+$/.test(part);
}

/** Numbers in numeric order and before the rest, names by code point: the order in which MongoDB 5+ applies and adds fields. */
function comparePaths(a: Modification, b: Modification): number {
  const end = Math.min(a.parts.length, b.parts.length);
  for (let i = 0; i < end; i++) {
    const left = a.parts[i] as string;
    const right = b.parts[i] as string;
    if (left === right) continue;
    if (isIndex(left) && isIndex(right)) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return a.parts.length - b.parts.length;
}

/** Reads an update of operators into modifications, in the order they are applied. Throws MongoDB's errors (9, 14, 40, 52, 56, …). */
export function readModifiers(update: Doc, filters: ArrayFilters, env: FilterEnv): Modification[] {
  const modifications: Modification[] = [];
  const claims: Claims = { below: new Map(), claimed: false };
  for (const name of Object.keys(update)) {
    const fields = update[name];
    const compile = name === '$rename' ? undefined : compilerOf(name, env);
    if (!isDocument(fields)) {
      fail(
        'FailedToParse',
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${showValue(fields)}}`,
      );
    }
    for (const path of Object.keys(fields)) {
      const modification = compile
        ? { parts: readPath(path, filters), operation: compile(fields[path], path) }
        : readRename(path, fields[path], filters);
      if ('renameFrom' in modification.operation) claim(claims, modification.operation.renameFrom);
      claim(claims, modification.parts);
      modifications.push(modification);
    }
  }
  return modifications.sort(comparePaths);
}
