// Parses a projection's specification into a tree of paths, with MongoDB's checks (manual: "Project Fields to Return from Query").
import { BRACKET, typeBracket } from '../bson/compare.js';
import { integralValue } from '../bson/numbers.js';
import { splitPath } from '../bson/paths.js';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { isOperatorDocument, isTrue } from './field-tests.js';

/** What a projection does with a field: keeps it, drops it, or computes it from the root document (undefined = absent). */
export type Leaf = 'keep' | 'drop' | { compute: (root: Doc) => unknown };

/** Fields by name, in the order of the specification. */
export interface Tree {
  fields: Map<string, Tree | Leaf>;
  /** Whether something below is computed. If so, the path is created where the document lacks it. */
  computes: boolean;
}

/** `$slice`: the elements from `skip` (negative: from the end) on, `limit` of them. */
export interface Slice {
  parts: string[];
  skip: number;
  limit: number;
}

/** A parsed and checked projection. */
export interface Projection {
  inclusive: boolean;
  tree: Tree;
  slices: Slice[];
  /** The path before `.$`. */
  positional: string[] | null;
}

/** The compilers of expressions and `$elemMatch`. */
export interface Compilers {
  expression: (expression: unknown) => (root: Doc) => unknown;
  elemMatch: (name: string, condition: Doc) => (root: Doc) => unknown;
}

interface Reading extends Omit<Projection, 'inclusive'> {
  inclusive: boolean | undefined;
  /** Whether `_id` is included; it does not determine whether the projection is an inclusion. */
  id: boolean | undefined;
  elemMatch: boolean;
  compilers: Compilers;
}

/** Whether a part of the tree is a leaf. */
export function isLeaf(entry: Tree | Leaf): entry is Leaf {
  return typeof entry === 'string' || 'compute' in entry;
}

function newTree(): Tree {
  return { fields: new Map(), computes: false };
}

function addLeaf(tree: Tree, parts: readonly string[], leaf: Leaf): void {
  let at = tree;
  parts.forEach((part, i) => {
    if (typeof leaf === 'object') at.computes = true;
    const present = at.fields.get(part);
    const last = i === parts.length - 1;
    if (last && present !== undefined) fail(31250, `Path collision at ${parts.join('.')}`);
    if (present !== undefined && isLeaf(present)) {
      fail(31249, `Path collision at ${parts.join('.')} remaining portion ${parts.slice(i + 1).join('.')}`);
    }
    const next = present ?? newTree();
    at.fields.set(part, last ? leaf : next);
    at = next;
  });
}

function checkPath(path: string): string[] {
  const parts = splitPath(path);
  for (const part of parts) {
    if (part === '') fail(path === '' ? 40352 : 15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    }
  }
  return parts;
}

/** Records that the projection is an inclusion (or exclusion). Throws if both occur. */
function decide(reading: Reading, path: string, inclusive: boolean): void {
  if (reading.inclusive === undefined) reading.inclusive = inclusive;
  if (reading.inclusive === inclusive) return;
  if (inclusive) fail(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
  fail(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
}

function readFlag(reading: Reading, path: string, keep: boolean): void {
  if (path === '_id') reading.id = keep;
  else decide(reading, path, keep);
  addLeaf(reading.tree, checkPath(path), keep ? 'keep' : 'drop');
}

function readPositional(reading: Reading, path: string, value: unknown): void {
  if (!isTrue(value) || isDocument(value)) {
    fail(31395, 'positional projection cannot be used with exclusion');
  }
  if (reading.positional) fail(31276, 'Cannot specify more than one positional projection per query.');
  if (reading.elemMatch) fail(31256, 'Cannot specify positional operator and $elemMatch.');
  const target = path.slice(0, -2);
  if (reading.inclusive === false) fail(31395, 'positional projection cannot be used with exclusion');
  reading.inclusive = true;
  reading.positional = checkPath(target);
  addLeaf(reading.tree, reading.positional, 'keep');
}

function sliceNumber(value: unknown, what: string): number {
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === undefined) fail(28667, `Invalid $slice syntax. The given ${what} is not an integer`);
  return Number(whole);
}

function readSlice(reading: Reading, path: string, operand: unknown): void {
  const parts = checkPath(path);
  let skip = 0;
  let limit: number;
  if (Array.isArray(operand)) {
    if (operand.length !== 2)
      fail(28724, 'Invalid $slice syntax. $slice array argument should be of form [skip, limit]');
    skip = sliceNumber(operand[0], 'skip');
    limit = sliceNumber(operand[1], 'limit');
    if (limit <= 0) fail(28724, `$slice limit must be positive, got ${limit}`);
  } else {
    const count = sliceNumber(operand, 'argument');
    skip = Math.min(count, 0);
    limit = Math.abs(count);
  }
  reading.slices.push({ parts, skip, limit });
}

function readElemMatch(reading: Reading, path: string, operand: unknown): void {
  if (!isDocument(operand)) fail(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
  if (path.includes('.')) fail(31275, 'Cannot use $elemMatch projection on a nested field.');
  if (reading.positional) fail(31256, 'Cannot specify positional operator and $elemMatch.');
  reading.elemMatch = true;
  addLeaf(reading.tree, checkPath(path), { compute: reading.compilers.elemMatch(path, operand) });
}

function readComputed(reading: Reading, path: string, value: unknown): void {
  if (path !== '_id') decide(reading, path, true);
  else reading.id = true;
  addLeaf(reading.tree, checkPath(path), { compute: reading.compilers.expression(value) });
}

function readOperator(reading: Reading, path: string, value: Doc): void {
  const names = Object.keys(value);
  const [name] = names as [string];
  if (name === '$meta') fail('NotImplemented', '$meta is not supported by this store');
  const findOnly = name === '$slice' || name === '$elemMatch';
  if (findOnly && names.length === 1 && !isAggregateSlice(name, value[name])) {
    if (name === '$slice') readSlice(reading, path, value[name]);
    else readElemMatch(reading, path, value[name]);
    return;
  }
  readComputed(reading, path, value);
}

/** `$slice: [<array expression>, n]` is the aggregation operator. */
function isAggregateSlice(name: string, operand: unknown): boolean {
  return name === '$slice' && Array.isArray(operand) && (operand.length === 3 || !isNumber(operand[0]));
}

function readField(reading: Reading, path: string, value: unknown): void {
  if (path.includes('.$.')) {
    fail(31394, "As of 4.4, it's illegal to specify positional operator in the middle of a path.");
  }
  const bracket = typeBracket(value);
  if (path.endsWith('.$')) readPositional(reading, path, value);
  else if (bracket === BRACKET.number || bracket === BRACKET.bool) readFlag(reading, path, isTrue(value));
  else if (!isDocument(value)) readComputed(reading, path, value);
  else if (isOperatorDocument(value)) readOperator(reading, path, value);
  else readNested(reading, path, value);
}

function readNested(reading: Reading, path: string, value: Doc): void {
  const names = Object.keys(value);
  if (names.length === 0) {
    fail(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
  }
  for (const name of names) readField(reading, `${path}.${name}`, value[name]);
}

/** Whether a projection of `_id`, `$slice` or `$elemMatch` alone is an inclusion. */
function defaultInclusive(reading: Reading): boolean {
  return reading.id === true || reading.elemMatch;
}

/** Reads and checks a specification. Throws MongoDB's assertion codes (31253, 31254, 31249, …). */
export function readProjection(spec: Doc, compilers: Compilers): Projection {
  const reading: Reading = {
    inclusive: undefined,
    id: undefined,
    elemMatch: false,
    tree: newTree(),
    slices: [],
    positional: null,
    compilers,
  };
  for (const path of Object.keys(spec)) readField(reading, path, spec[path]);
  const inclusive = reading.inclusive ?? defaultInclusive(reading);
  if (inclusive && !reading.tree.fields.has('_id')) reading.tree.fields.set('_id', 'keep');
  for (const slice of reading.slices) {
    if (inclusive) addLeaf(reading.tree, slice.parts, 'keep');
  }
  return { inclusive, tree: reading.tree, slices: reading.slices, positional: reading.positional };
}
