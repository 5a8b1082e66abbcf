// Which data points a value of several types becomes, as docs/import-format.md says.
import { expect, it } from 'vitest';
import { schemaFromDocument } from '../../../src/catalog/json-schema/schema-document.js';

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const NULL = { type: 'null' };
const FIELDS = { type: 'object', properties: { x: TEXT }, required: ['x'] };
const OTHER_FIELDS = { type: 'object', properties: { y: WHOLE }, required: ['y'] };
const LIST = { type: 'array', items: TEXT };
const format = (name: string) => ({ type: 'string', format: name });

it.each<[string, object, string]>([
  ['a type and null', { type: ['string', 'null'] }, 'a string required'],
  ['a type or null', { anyOf: [format('date'), NULL] }, 'a date required'],
  ['whole and other numbers', { oneOf: [WHOLE, { type: 'number' }] }, 'a number required'],
  ['several types', { type: ['string', 'integer'] }, 'a any required'],
  ['several alternatives', { anyOf: [TEXT, WHOLE] }, 'a any required'],
  ['several formats', { anyOf: [format('date'), format('date-time')] }, 'a string required'],
  ['fields or a text', { anyOf: [FIELDS, TEXT] }, 'a.x string'],
  ['fields or null', { anyOf: [FIELDS, NULL] }, 'a.x string'],
  ['fields or others', { oneOf: [FIELDS, OTHER_FIELDS] }, 'a.x string, a.y integer'],
  ['fields or a list', { anyOf: [FIELDS, LIST] }, 'a any required'],
  ['values of one type', { const: 'x' }, 'a string required'],
  ['values of several types', { enum: [1, 'x'] }, 'a any required'],
])("a data point's type for several types: %s", (_name, a, expected) => {
  const { dataPoints } = schemaFromDocument({
    properties: { credentialSubject: { type: 'object', properties: { a }, required: ['a'] } },
  });
  const points = dataPoints.map(({ name, type, isRequired }) => `${name} ${type}${isRequired ? ' required' : ''}`);
  expect(points.join(', ')).toBe(expected);
});
