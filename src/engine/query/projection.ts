// Projections of `find` and `findAndModify`: which fields come back, in MongoDB's field order.
import { compileExpression } from '../expressions/expression.js';
import { type Doc, getOwn, isDocument, isNumber, setOwn } from '../bson/types.js';
import { fail } from '../errors.js';
import { isTrue } from './field-tests.js';
import { type CompiledFilter, compileFilter, type FilterEnv } from './matcher.js';
import { isLeaf, type Projection, readProjection, type Slice, type Tree } from './projection-tree.js';

/** Returns the projected document; does not change its input. `position` is that of the positional `$`; by default the filter finds it. */
export type Project = (doc: Doc, position?: number | null) => Doc;

/** `{field: {$elemMatch: …}}`: an array of the first element that the same filter matches, or nothing. */
function compileElemMatch(name: string, condition: Doc, env: FilterEnv): (root: Doc) => unknown {
  const filter = compileFilter({ [name]: { $elemMatch: condition } }, env);
  return (root) => {
    const array = getOwn(root, name);
    const at = Array.isArray(array) ? filter.positionOf(root) : null;
    return Array.isArray(array) && at !== null ? [array[at]] : undefined;
  };
}

function includeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => includeValue(element, tree)).filter((element) => element !== undefined);
  }
  return isDocument(value) ? includeFields(value, tree) : undefined;
}

function includeFields(doc: Doc, tree: Tree): Doc {
  const out: Doc = {};
  for (const name of Object.keys(doc)) {
    const entry = tree.fields.get(name);
    if (entry === undefined || (isLeaf(entry) && entry !== 'keep')) continue;
    const value = entry === 'keep' ? doc[name] : includeValue(doc[name], entry as Tree);
    if (value !== undefined) setOwn(out, name, value);
  }
  return out;
}

function excludeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeValue(element, tree));
  return isDocument(value) ? excludeFields(value, tree) : value;
}

function excludeFields(doc: Doc, tree: Tree): Doc {
  const out: Doc = {};
  for (const name of Object.keys(doc)) {
    const entry = tree.fields.get(name);
    if (entry === 'drop' || (typeof entry === 'object' && isLeaf(entry))) continue;
    const value = entry === undefined || entry === 'keep' ? doc[name] : excludeValue(doc[name], entry as Tree);
    setOwn(out, name, value);
  }
  return out;
}

/** Computed fields come after those of the document, in the order of the specification. */
function computeFields(out: Doc, tree: Tree, root: Doc): void {
  if (!tree.computes) return;
  for (const [name, entry] of tree.fields) {
    if (typeof entry === 'string') continue;
    if (!isLeaf(entry)) {
      if (entry.computes) setOwn(out, name, computeInside(getOwn(out, name), entry, root));
      continue;
    }
    const value = entry.compute(root);
    if (value !== undefined) setOwn(out, name, value);
  }
}

function computeInside(value: unknown, tree: Tree, root: Doc): unknown {
  if (Array.isArray(value)) return value.map((element) => computeInside(element, tree, root));
  const out: Doc = isDocument(value) ? value : {};
  computeFields(out, tree, root);
  return out;
}

function sliceArray(array: unknown[], { skip, limit }: Slice): unknown[] {
  const start = skip < 0 ? Math.max(0, array.length + skip) : skip;
  return array.slice(start, start + limit);
}

/** Replaces the arrays at a path with `change(array)`, copying the containers on the way. In an array on the way, only documents are entered. */
function mapArrays(doc: Doc, parts: readonly string[], at: number, change: (array: unknown[]) => unknown): Doc {
  const name = parts[at] as string;
  if (!Object.hasOwn(doc, name)) return doc;
  const value = doc[name];
  const last = at === parts.length - 1;
  const inside = (each: unknown) => (isDocument(each) ? mapArrays(each, parts, at + 1, change) : each);
  const out = { ...doc };
  if (Array.isArray(value)) setOwn(out, name, last ? change(value) : value.map(inside));
  else setOwn(out, name, last ? value : inside(value));
  return out;
}

/** Reduces the first array on the path to the element that the filter matched. */
function pickPosition(value: unknown, parts: readonly string[], at: number, position: number | null): unknown {
  if (Array.isArray(value)) {
    if (position === null || position >= value.length) {
      fail(51246, "positional operator '.$' couldn't find a matching element in the array");
    }
    return [value[position]];
  }
  const name = parts[at];
  if (name === undefined || !isDocument(value) || !Object.hasOwn(value, name)) return value;
  const out = { ...value };
  setOwn(out, name, pickPosition(value[name], parts, at + 1, position));
  return out;
}

function run(projection: Projection, doc: Doc, position: () => number | null): Doc {
  const { tree, positional } = projection;
  // The matched position counts in the stored array, so it is picked before sub-fields are filtered out.
  const source = positional ? (pickPosition(doc, positional, 0, position()) as Doc) : doc;
  let out = projection.inclusive ? includeFields(source, tree) : excludeFields(source, tree);
  computeFields(out, tree, doc);
  for (const slice of projection.slices) {
    out = mapArrays(out, slice.parts, 0, (array) => sliceArray(array, slice));
  }
  return out;
}

/** The path of a projection's positional operator, without the operator. */
export function positionalPath(spec: Doc): string | undefined {
  return Object.keys(spec)
    .find((name) => name.endsWith('.$'))
    ?.slice(0, -2);
}

/** The fields of a projection that only includes whole top-level fields; undefined for any other. */
export function wholeFields(spec: Doc): string[] | undefined {
  const names = Object.keys(spec);
  const isPlain = names.every((name) => {
    const isFlag = typeof spec[name] === 'boolean' || isNumber(spec[name]);
    return isFlag && !/^$|^\$|\./.test(name) && (name === '_id' || isTrue(spec[name]));
  });
  if (!isPlain || !names.some((name) => isTrue(spec[name]))) return undefined;
  return ['_id', ...names].filter((name) => name !== '_id' || !('_id' in spec) || isTrue(spec._id));
}

/**
 * Compiles a projection: inclusion or exclusion, `_id` on its own, dotted paths, `$slice`, `$elemMatch`, positional `.$`, expressions and literals.
 * `filter` finds the position for `.$` where the caller does not give it. Throws MongoDB's assertion codes for malformed specifications.
 */
export function compileProjection(spec: Doc, filter?: CompiledFilter, env: FilterEnv = {}): Project {
  if (Object.keys(spec).length === 0) return (doc) => doc;
  const vars = env.vars ?? {};
  const projection = readProjection(spec, {
    expression: (expression) => {
      const compiled = compileExpression(expression, vars);
      return (root) => compiled(root, vars);
    },
    elemMatch: (name, condition) => compileElemMatch(name, condition, env),
  });
  return (doc, position) => run(projection, doc, () => position ?? filter?.positionOf(doc) ?? null);
}
