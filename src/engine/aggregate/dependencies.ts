// Which fields of its input a pipeline may read, so that the store need not read the rest.
import { type Doc, isDocument, isNumber } from '../bson/types.js';
import { truthy } from '../expressions/operator.js';

/** Collects paths; `whole` is set once everything may be needed. */
interface Needs {
  paths: Set<string>;
  whole: boolean;
}

/** Over-approximates: a literal that looks like a path counts as one. */
function ofExpression(expression: unknown, needs: Needs): void {
  if (typeof expression === 'string') {
    if (/^\$\$(?:ROOT|CURRENT)(?:$|\.)/.test(expression)) ofCurrent(expression, needs);
    else if (/^\$[^$]/.test(expression)) needs.paths.add(expression.slice(1));
  } else if (Array.isArray(expression)) {
    for (const each of expression) ofExpression(each, needs);
  } else if (isDocument(expression)) {
    for (const name of Object.keys(expression)) {
      if (name === '$getField' || name === '$setField' || name === '$unsetField') needs.whole = true;
      ofExpression(expression[name], needs);
    }
  }
}

function ofCurrent(variable: string, needs: Needs): void {
  const path = variable.split('.').slice(1).join('.');
  if (path === '') needs.whole = true;
  else needs.paths.add(path);
}

/** Fields of a DBRef: a filter may name them as it names others. */
const REFERENCE = new Set(['$ref', '$id', '$db']);

function ofFilter(filter: unknown, needs: Needs): void {
  if (!isDocument(filter)) return;
  for (const name of Object.keys(filter)) {
    const operand = filter[name];
    if (name === '$expr') ofExpression(operand, needs);
    else if (name.startsWith('$') && !REFERENCE.has(name))
      for (const each of Array.isArray(operand) ? operand : []) ofFilter(each, needs);
    else needs.paths.add(name);
  }
}

/** Whether a projection includes (and does not exclude) the fields that it names. `_id` counts only if it is the only field. */
function isInclusion(spec: Doc): boolean {
  const names = Object.keys(spec);
  const isAlone = names.length === 1 && !isDocument(spec._id);
  return names.some((name) => (name !== '_id' || isAlone) && (!isFlag(spec[name]) || truthy(spec[name])));
}

/** Whether a value says that a field is included or excluded: any number, or a boolean. */
function isFlag(value: unknown): boolean {
  return isNumber(value) || typeof value === 'boolean';
}

function ofProject(spec: unknown, needs: Needs, prefix = ''): void {
  if (!isDocument(spec)) return;
  for (const name of Object.keys(spec)) {
    const value = spec[name];
    if (isDocument(value) && !Object.keys(value)[0]?.startsWith('$')) ofProject(value, needs, `${prefix}${name}.`);
    else if (isFlag(value)) needs.paths.add(prefix + name);
    else ofExpression(value, needs);
  }
}

/** Adds the fields that a stage reads. Returns true if its output contains no other fields of its input. */
type StageNeeds = (spec: unknown, needs: Needs) => boolean;

function passing(read: (spec: unknown, needs: Needs) => void): StageNeeds {
  return (spec, needs) => {
    read(spec, needs);
    return false;
  };
}

function ending(read: (spec: unknown, needs: Needs) => void): StageNeeds {
  return (spec, needs) => {
    read(spec, needs);
    return true;
  };
}

function ofLookup(spec: unknown, needs: Needs): void {
  if (!isDocument(spec)) return;
  if (typeof spec.localField === 'string') needs.paths.add(spec.localField);
  ofExpression(spec.let, needs);
}

function ofUnwind(spec: unknown, needs: Needs): void {
  ofExpression(isDocument(spec) ? spec.path : spec, needs);
}

const nothingRead = (): void => {};

const NEEDS: Record<string, StageNeeds> = {
  $addFields: passing(ofExpression),
  $bucket: ending(ofExpression),
  $count: ending(nothingRead),
  $group: ending(ofExpression),
  $limit: passing(nothingRead),
  $lookup: passing(ofLookup),
  $match: passing(ofFilter),
  $project: (spec, needs) => {
    ofProject(spec, needs);
    if (!isDocument(spec) || !isInclusion(spec)) return false;
    if (!('_id' in spec)) needs.paths.add('_id');
    return true;
  },
  $replaceRoot: ending(ofExpression),
  $replaceWith: ending(ofExpression),
  $set: passing(ofExpression),
  $skip: passing(nothingRead),
  $sort: passing((spec, needs) => {
    for (const path of Object.keys(isDocument(spec) ? spec : {})) needs.paths.add(path);
  }),
  $sortByCount: ending(ofExpression),
  $unset: passing(nothingRead),
  $unwind: passing(ofUnwind),
};

/** The dotted paths a pipeline may read from its input documents; null when it may see everything. */
export function dependencies(stages: readonly Doc[]): string[] | null {
  const needs: Needs = { paths: new Set(), whole: false };
  for (const stage of stages) {
    const name = Object.keys(stage)[0] ?? '';
    const read = Object.hasOwn(NEEDS, name) ? NEEDS[name] : undefined;
    if (!read) return null;
    const ended = read(stage[name], needs);
    if (needs.whole) return null;
    if (ended) return [...needs.paths];
  }
  return null;
}

/** The top-level fields of these paths. */
export function topLevel(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))];
}

/** The top-level fields that a filter reads; null when it may see everything. */
export function fieldsOfFilter(filter: Doc): string[] | null {
  const needs: Needs = { paths: new Set(), whole: false };
  ofFilter(filter, needs);
  return needs.whole ? null : topLevel([...needs.paths]);
}
