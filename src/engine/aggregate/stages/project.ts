// $project, $addFields/$set and $unset.
import { type Doc, isDocument, isNumber, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { compileNode } from '../../expressions/expression.js';
import { fieldPathParts } from '../../expressions/field-path.js';
import { truthy } from '../../expressions/operator.js';
import {
  addLeaf,
  computeFields,
  copyDoc,
  excludeFields,
  type FieldShape,
  includeFields,
  type Leaf,
  newShape,
} from '../../expressions/shape.js';
import { blame, documentSpec, type StageCompiler } from '../stage.js';

interface Reading {
  shape: FieldShape;
  names: readonly string[];
  /** Whether the projection includes fields; undefined until a field other than `_id` determines it. */
  inclusive: boolean | undefined;
  id: boolean | undefined;
}

function decide(reading: Reading, path: string, inclusive: boolean): void {
  if (reading.inclusive === undefined) reading.inclusive = inclusive;
  if (reading.inclusive === inclusive) return;
  if (inclusive) fail(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
  fail(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
}

function put(reading: Reading, path: string, leaf: Leaf): void {
  const parts = fieldPathParts(path);
  addLeaf(reading.shape, parts, leaf, (at) => {
    if (at === parts.length - 1) fail(31250, `Path collision at ${path}`);
    fail(31249, `Path collision at ${path} remaining portion ${parts.slice(at + 1).join('.')}`);
  });
}

function readField(reading: Reading, path: string, value: unknown): void {
  if (isNumber(value) || typeof value === 'boolean') {
    const keep = truthy(value);
    if (path === '_id') reading.id = keep;
    else decide(reading, path, keep);
    put(reading, path, keep ? 'keep' : 'drop');
  } else if (isDocument(value) && !Object.keys(value)[0]?.startsWith('$')) {
    const names = Object.keys(value);
    if (names.length === 0) {
      fail(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
    }
    for (const name of names) readField(reading, `${path}.${name}`, value[name]);
  } else {
    // A computed `_id` alone makes an inclusion, but an exclusion may not contain one.
    decide(reading, path, true);
    put(reading, path, { compute: compileNode(value, reading.names).run });
  }
}

function readProject(spec: Doc, names: readonly string[]): { shape: FieldShape; inclusive: boolean } {
  if (Object.keys(spec).length === 0) fail(51272, 'projection specification must have at least one field');
  const reading: Reading = { shape: newShape(), names, inclusive: undefined, id: undefined };
  for (const path of Object.keys(spec)) readField(reading, path, spec[path]);
  const inclusive = reading.inclusive ?? reading.id === true;
  if (inclusive && !reading.shape.fields.has('_id')) reading.shape.fields.set('_id', 'keep');
  return { shape: reading.shape, inclusive };
}

/** $project: inclusion, exclusion, computed fields. */
export const project: StageCompiler = (spec, { names }) => {
  const fields = documentSpec(spec, 15969, '$project specification must be an object');
  const { shape, inclusive } = blame('$project', () => readProject(fields, names));
  if (!inclusive) return { kind: 'map', map: (doc) => excludeFields(doc, shape) };
  return { kind: 'map', map: (doc, vars) => computeFields(includeFields(doc, shape), shape, doc, vars) };
};

function addComputed(shape: FieldShape, path: string, value: unknown, names: readonly string[]): void {
  const parts = fieldPathParts(path);
  if (isDocument(value) && !Object.keys(value)[0]?.startsWith('$') && Object.keys(value).length > 0) {
    for (const name of Object.keys(value)) addComputed(shape, `${path}.${name}`, value[name], names);
    return;
  }
  addLeaf(shape, parts, { compute: compileNode(value, names).run }, (at) =>
    fail(
      40176,
      `specification contains two conflicting paths. Cannot specify both '${path}' and '${parts.slice(0, at + 1).join('.')}'`,
    ),
  );
}

function addFieldsAs(stage: string): StageCompiler {
  return (spec, { names }) => {
    const fields = documentSpec(spec, 40272, `${stage} specification stage must be an object, got ${typeName(spec)}`);
    const shape = newShape();
    blame(stage, () => {
      if (Object.keys(fields).length === 0) fail(40177, 'specification must have at least one field');
      for (const path of Object.keys(fields)) addComputed(shape, path, fields[path], names);
    });
    return { kind: 'map', map: (doc, vars) => computeFields(copyDoc(doc), shape, doc, vars) };
  };
}

/** $addFields. */
export const addFields = addFieldsAs('$addFields');
/** $set, another name for $addFields. */
export const set = addFieldsAs('$set');

/** $unset: one path or a list of them. */
export const unset: StageCompiler = (spec) => {
  const paths = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0) fail(31119, '$unset specification must be a string or an array with at least one field');
  const shape = newShape();
  for (const path of paths) {
    if (typeof path !== 'string') {
      if (Array.isArray(spec))
        fail(31120, '$unset specification must be a string or an array containing only string values');
      fail(31002, '$unset specification must be a string or an array');
    }
    blame('$unset', () => put({ shape, names: [], inclusive: false, id: false }, path, 'drop'));
  }
  return { kind: 'map', map: (doc) => excludeFields(doc, shape) };
};
