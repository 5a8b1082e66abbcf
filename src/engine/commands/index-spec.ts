// Index specifications as createIndexes takes them: checked, named, and compared with existing indexes.
import { Int32 } from 'bson';
import { BRACKET, equalValues, typeBracket } from '../bson/compare.js';
import { type Doc, isDocument, isNumber } from '../bson/types.js';
import { fail } from '../errors.js';
import { samePattern } from '../planner/plan.js';
import { isOperatorDocument, isTrue } from '../query/field-tests.js';
import { compileFilter } from '../query/matcher.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { Args } from './args.js';

/** Options that this engine supports. */
const OPTIONS = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'v',
  'background',
  'ns',
  'hidden',
]);
/** Options of MongoDB that this engine does not support. */
const NOT_HERE = new Set([
  ...['collation', 'weights', 'default_language', 'language_override', 'textIndexVersion', '2dsphereIndexVersion'],
  ...['bits', 'min', 'max', 'bucketSize', 'wildcardProjection', 'storageEngine', 'clustered', 'prepareUnique'],
]);
/** Fields of a DBRef, which is a document in a field. */
const REFERENCE = new Set(['$ref', '$id', '$db']);
const MAX_INDEXES = 64;
const MAX_TTL = 2147483647;

/** A checked specification in the form that listIndexes returns. Throws MongoDB's errors for faults. */
export function indexSpec(input: Doc): Doc {
  for (const name of Object.keys(input)) {
    if (NOT_HERE.has(name)) fail('NotImplemented', `index option '${name}' is not supported by this store`);
    if (!OPTIONS.has(name))
      fail(
        'InvalidIndexSpecificationOption',
        `The field '${name}' is not valid for an index specification. Specification: ${JSON.stringify(input)}`,
      );
  }
  const args = new Args(input, 'createIndexes.indexes');
  const key = args.requiredDocument('key');
  requireKey(key);
  if (args.boolean('hidden')) fail('NotImplemented', "index option 'hidden' is not supported by this store");
  const name =
    args.string('name') ?? fail('FailedToParse', "The 'name' field is a required property of an index specification");
  const spec: Doc = { v: new Int32(2), key, name };
  if (name === '') fail('CannotCreateIndex', 'The index name cannot be empty');
  if (name.includes('\0')) fail('CannotCreateIndex', 'index name cannot contain NUL bytes');
  if (args.boolean('unique')) spec.unique = true;
  if (args.boolean('sparse')) spec.sparse = true;
  addPartial(spec, args);
  addExpiry(spec, args, key);
  return spec;
}

function requireKey(key: Doc): void {
  const paths = Object.keys(key);
  if (paths.length === 0) fail('CannotCreateIndex', 'Index keys cannot be an empty object');
  if (paths.length > 32) fail('CannotCreateIndex', 'Index key pattern too large: at most 32 fields');
  for (const path of paths) {
    const direction = key[path];
    if (typeof direction === 'string')
      fail('NotImplemented', `index type '${direction}' is not supported by this store`);
    if (!isNumber(direction) || !(Math.abs(Number(direction)) > 0)) {
      fail(
        'CannotCreateIndex',
        `Values in v:2 index key pattern cannot be of type ${typeof direction} or zero. Only numbers > 0, numbers < 0, and strings are allowed.`,
      );
    }
    if (path === '' || path.split('.').includes(''))
      fail('CannotCreateIndex', 'Index keys cannot contain an empty field.');
    if (path.includes('$**')) fail('NotImplemented', 'wildcard indexes are not supported by this store');
    if (path.split('.').some((part, i) => part.startsWith('$') && (i === 0 || !REFERENCE.has(part)))) {
      fail('CannotCreateIndex', `Index key contains an illegal field name: field name starts with '$'.`);
    }
  }
}

function addPartial(spec: Doc, args: Args): void {
  const partial = args.document('partialFilterExpression');
  if (!partial) return;
  if (spec.sparse) fail('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  requirePartial(partial);
  compileFilter(partial, {});
  spec.partialFilterExpression = partial;
}

const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in']);

function requirePartial(filter: Doc): void {
  for (const [name, condition] of Object.entries(filter)) {
    if ((name === '$and' || name === '$or') && Array.isArray(condition)) {
      for (const each of condition) if (isDocument(each)) requirePartial(each);
    } else if (name.startsWith('$')) {
      fail('CannotCreateIndex', `unsupported expression in partial index: ${name}`);
    } else if (typeBracket(condition) === BRACKET.regex) {
      fail('CannotCreateIndex', `Expression not supported in partial index: ${name} regex`);
    } else if (isOperatorDocument(condition)) {
      const bad = Object.entries(condition).find(
        ([op, value]) => !PARTIAL_OPERATORS.has(op) || (op === '$exists' && !isTrue(value)),
      );
      if (bad) fail('CannotCreateIndex', `Expression not supported in partial index: ${bad[0]}`);
    }
  }
}

function addExpiry(spec: Doc, args: Args, key: Doc): void {
  const seconds = args.get('expireAfterSeconds');
  if (seconds === undefined) return;
  if (!isNumber(seconds))
    fail(
      'CannotCreateIndex',
      `TTL index 'expireAfterSeconds' option must be numeric, but received a type of '${typeof seconds}'`,
    );
  if (!(Number(seconds) >= 0 && Number(seconds) <= MAX_TTL))
    fail(
      'CannotCreateIndex',
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, got ${String(seconds)}`,
    );
  if (Object.keys(key).length > 1)
    fail('CannotCreateIndex', 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  if (Object.hasOwn(key, '_id'))
    fail('CannotCreateIndex', "The field 'expireAfterSeconds' is not valid for an _id index specification");
  spec.expireAfterSeconds = seconds;
}

/** Whether the collection already has this index. Throws if an index of the same name or signature differs (85, 86). */
export function hasIndex(collection: CollectionInfo, spec: Doc): boolean {
  const key = spec.key as Doc;
  if (Object.keys(key).length === 1 && Object.hasOwn(key, '_id')) return requireIdIndex(spec);
  const named = collection.indexes.find((index) => index.name === spec.name);
  if (named) requireSame(named, spec);
  else requireNew(collection, spec);
  return named !== undefined;
}

function requireSame(named: IndexInfo, spec: Doc): void {
  const both = `Requested index: ${show(spec)}, existing index: ${show(named.spec)}`;
  if (!hasSignature(named, spec)) {
    fail(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${both}`,
    );
  }
  if (!hasSameExpiry(named, spec)) {
    fail(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. ${both}`,
    );
  }
}

function requireNew(collection: CollectionInfo, spec: Doc): void {
  const alike = collection.indexes.find((index) => hasSignature(index, spec));
  if (alike && hasSameExpiry(alike, spec)) {
    fail('IndexOptionsConflict', `Index already exists with a different name: ${alike.name}`);
  }
  if (alike) {
    fail(
      'IndexOptionsConflict',
      `An equivalent index already exists with a different name and options. Requested index: ${show(spec)}, existing index: ${show(alike.spec)}`,
    );
  }
  if (collection.indexes.length >= MAX_INDEXES) {
    fail('CannotCreateIndex', `add index fails, too many indexes for ${collection.ns} key:${show(spec.key)}`);
  }
}

/** What distinguishes two indexes of one collection: key pattern, filter, and whether they are unique and sparse. */
function hasSignature(index: IndexInfo, spec: Doc): boolean {
  return (
    samePattern(index.key, spec.key as Doc) &&
    index.unique === (spec.unique === true) &&
    index.sparse === (spec.sparse === true) &&
    equalValues(index.partial ?? {}, spec.partialFilterExpression ?? {})
  );
}

function hasSameExpiry(index: IndexInfo, spec: Doc): boolean {
  return equalValues(index.spec.expireAfterSeconds, spec.expireAfterSeconds);
}

function requireIdIndex(spec: Doc): boolean {
  if (spec.unique || spec.sparse || spec.partialFilterExpression) {
    fail(
      'InvalidIndexSpecificationOption',
      `The field 'unique' is not valid for an _id index specification. Specification: ${show(spec)}`,
    );
  }
  return true;
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
