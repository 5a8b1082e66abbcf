// A document that allows no subject is refused at import: it forbids the names of required fields, or allows too few fields.
import { expect, it } from 'vitest';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';

type Json = Record<string, unknown>;

const DID = 'did:core:id:testnet:x';
const NAMES = { properties: { id: {}, a: {}, b: {} } };
const OLD = 'http://json-schema.org/draft-07/schema#';
const compile = (subject: Json, rest: Json = {}) =>
  compileSubject({ ...rest, properties: { credentialSubject: subject } }, DID);
const forbids = (name: string, keyword: string) =>
  `The document forbids the "${name}" that it describes or requires ("${keyword}").`;

it.each<[string, Json, string]>([
  [
    'unevaluatedProperties without the id',
    { properties: { a: {} }, required: ['id'], unevaluatedProperties: false },
    forbids('id', 'unevaluatedProperties'),
  ],
  [
    'unevaluatedProperties in a part that describes nothing',
    { ...NAMES, required: ['a'], allOf: [{ unevaluatedProperties: false }] },
    forbids('id', 'unevaluatedProperties'),
  ],
  [
    'unevaluatedProperties beside another part',
    {
      allOf: [
        { properties: { a: {} }, unevaluatedProperties: false },
        { properties: { b: {} }, required: ['b'] },
      ],
    },
    forbids('b', 'unevaluatedProperties'),
  ],
  [
    'additionalProperties beside another part',
    {
      allOf: [
        { properties: { a: {} }, additionalProperties: false },
        { properties: { b: {} }, required: ['b'] },
      ],
    },
    forbids('b', 'additionalProperties'),
  ],
  [
    'propertyNames that are others',
    { ...NAMES, required: ['a'], propertyNames: { enum: ['id', 'b'] } },
    forbids('a', 'propertyNames'),
  ],
  ['propertyNames without the id', { ...NAMES, propertyNames: { pattern: '^[ab]$' } }, forbids('id', 'propertyNames')],
  [
    'propertyNames by a reference',
    { properties: { a: {} }, required: ['a'], propertyNames: { $ref: '#/$defs/long' } },
    forbids('a', 'propertyNames'),
  ],
  ['no names at all', { properties: { a: {}, b: {} }, propertyNames: false }, forbids('a', 'propertyNames')],
  ['a field that must not be', { properties: { a: false, b: {} }, required: ['a'] }, forbids('a', 'properties')],
  [
    'maxProperties below what is required',
    { properties: { a: {}, b: {} }, required: ['a', 'b'], maxProperties: 1 },
    '"maxProperties" is 1, beside "a", "b".',
  ],
  ['maxProperties for the id alone', { ...NAMES, maxProperties: 1 }, '"maxProperties" is 1, beside "id", "a".'],
  ['maxProperties of none', { properties: { a: {} }, maxProperties: 0 }, '"maxProperties" is 0, beside "a".'],
  [
    'the same in an object that is required',
    {
      required: ['o'],
      properties: { o: { type: 'object', required: ['x'], properties: { x: {} }, propertyNames: { minLength: 2 } } },
    },
    forbids('o.x', 'propertyNames'),
  ],
  [
    'the same of several subjects',
    { type: 'array', items: { properties: { a: {} }, required: ['a'], maxProperties: 0 } },
    '"maxProperties" is 0, beside "a".',
  ],
])('a document under which nothing could be issued is refused: %s', (_name, subject, reason) => {
  expect(() => compile(subject, { $defs: { long: { minLength: 5 } } })).toThrow(reason);
});

it.each<[string, Json, Json, Json?]>([
  ['unevaluatedProperties with the id', { ...NAMES, unevaluatedProperties: false }, { a: 1 }],
  [
    'unevaluatedProperties of a part that describes',
    { $ref: '#/$defs/named', unevaluatedProperties: false, required: ['id'] },
    { a: 1 },
  ],
  [
    'unevaluatedProperties beside an alternative',
    { anyOf: [NAMES, {}], unevaluatedProperties: false, required: ['id'] },
    { a: 1 },
  ],
  [
    'unevaluatedProperties beside a pattern',
    { properties: { a: {} }, patternProperties: { '^i': {} }, required: ['id'], unevaluatedProperties: false },
    { a: 1 },
  ],
  [
    'unevaluatedProperties beside others',
    { allOf: [{ additionalProperties: true }], properties: { a: {} }, required: ['id'], unevaluatedProperties: false },
    { a: 1 },
  ],
  [
    'unevaluatedProperties before it was a keyword',
    { properties: { a: {} }, required: ['id'], unevaluatedProperties: false },
    { a: 1 },
    { $schema: OLD },
  ],
  ['propertyNames of some fields', { properties: { a: {}, b: {} }, propertyNames: { enum: ['b'] } }, { b: 1 }],
  ['maxProperties of one', { properties: { a: {}, b: {} }, maxProperties: 1 }, { a: 1 }],
  ['maxProperties with the id', { ...NAMES, maxProperties: 2 }, { a: 1 }],
  [
    'an object that may be left out',
    { properties: { a: {}, o: { type: 'object', required: ['x'], maxProperties: 0 } } },
    { a: 1 },
  ],
  [
    'an object that may be another value',
    { required: ['o'], properties: { o: { type: ['object', 'null'], required: ['x'], maxProperties: 0 } } },
    { o: null },
  ],
  [
    'an object that may be empty',
    { required: ['o'], properties: { o: { type: 'object', propertyNames: false } } },
    { o: {} },
  ],
])('a document is imported: %s', (_name, subject, fitting, rest = {}) => {
  const check = compile(subject, { $defs: { named: NAMES }, ...rest });
  expect(check({ id: DID, ...fitting })).toBeUndefined();
});
