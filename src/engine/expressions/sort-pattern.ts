// Sort patterns of $sort, $top and $sortArray: checked, and converted to keys whose byte order is MongoDB's.
import { integralValue } from '../bson/numbers.js';
import { type Doc, isDocument, isNumber } from '../bson/types.js';
import { fail } from '../errors.js';
import { sortKey } from '../bson/index-keys.js';
import type { PatternField } from '../bson/pattern.js';
import { fieldPathParts } from './field-path.js';

/** Checks a pattern {field: 1 | -1, …}: 15976 when empty, 15975 for another direction, NotImplemented for $meta. */
export function sortFieldsOf(pattern: Doc): PatternField[] {
  const names = Object.keys(pattern);
  if (names.length === 0) fail(15976, '$sort stage must have at least one sort key');
  if (names.length > 32) fail(13103, 'too many compound keys');
  return names.map((path) => ({ path, parts: fieldPathParts(path), direction: directionOf(pattern[path]) }));
}

function directionOf(value: unknown): 1 | -1 {
  if (isDocument(value) && '$meta' in value) fail('NotImplemented', '$meta is not supported by this store');
  if (!isNumber(value)) fail(15974, `Illegal key in $sort specification: ${String(value)}`);
  const direction = integralValue(value);
  if (direction === 1n) return 1;
  if (direction === -1n) return -1;
  return fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
}

/** The sort key of a document. Errors: as `sortKey`, when two fields run through different arrays. */
export function sortKeyOf(doc: Doc, fields: PatternField[]): Buffer {
  return sortKey(doc, fields);
}
