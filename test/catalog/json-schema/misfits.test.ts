// What partners read about a subject that does not fit its document, and what operators read about a document that is not JSON Schema: plain
// sentences.
import { expect, it } from 'vitest';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';

type Json = Record<string, unknown>;

const compiled = (a: unknown, more: Json = {}) =>
  compileSubject({ type: 'object', properties: { credentialSubject: { properties: { a }, ...more } } });

const TWO = [{ type: 'integer' }, { type: 'string', minLength: 2 }];
const values: [Json, unknown, string][] = [
  [{ type: 'integer' }, 'x', 'a must be a whole number'],
  [{ type: ['string', 'null'] }, 5, 'a must be a string or null'],
  [{ type: 'boolean' }, 5, 'a must be true or false'],
  [{ type: 'array' }, 5, 'a must be a list'],
  [{ type: 'object' }, 5, 'a must be an object'],
  [{ type: 'number' }, 'x', 'a must be a number'],
  [{ enum: ['x', 1] }, 'y', 'a must be one of "x", 1'],
  [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, 'y', 'a must be one of 1, 2, 3, 4, 5, 6, 7, 8 and 2 more'],
  [{ const: 'x' }, 'y', 'a must be "x"'],
  [{ minLength: 2 }, 'y', 'a must have at least 2 characters'],
  [{ maxLength: 2 }, 'yyy', 'a must have at most 2 characters'],
  [{ pattern: '^[a-z]+$' }, 'A', 'a must match the pattern ^[a-z]+$'],
  [{ format: 'email' }, 'A', 'a must have the format email'],
  [{ minimum: 2 }, 1, 'a must be at least 2'],
  [{ maximum: 2 }, 3, 'a must be at most 2'],
  [{ exclusiveMinimum: 2 }, 2, 'a must be more than 2'],
  [{ exclusiveMaximum: 2 }, 2, 'a must be less than 2'],
  [{ multipleOf: 2 }, 3, 'a must be a multiple of 2'],
  [{ minItems: 1 }, [], 'a must have at least 1 entry'],
  [{ maxItems: 1 }, [1, 2], 'a must have at most 1 entry'],
  [{ uniqueItems: true }, [1, 1], 'a must not have the same entry twice'],
  [{ contains: { type: 'string' } }, [1], 'a must have at least 1 entry as described by "contains"'],
  [{ contains: { const: 1 }, maxContains: 2 }, [1, 1, 1], 'a must have 1 to 2 entries as described by "contains"'],
  [{ prefixItems: [true], items: false }, [1, 2], 'a must have at most 1 entry'],
  [{ items: { type: 'string' } }, ['x', 1], 'a[1] must be a string'],
  [{ minProperties: 1 }, {}, 'a must have at least 1 member'],
  [{ maxProperties: 1 }, { b: 1, c: 1 }, 'a must have at most 1 member'],
  [{ properties: { b: { type: 'string' } }, required: ['b'] }, {}, 'a.b is missing'],
  [{ properties: { 'b/c': { type: 'string' } } }, { 'b/c': 1 }, 'a.b/c must be a string'],
  [{ properties: { b: {} }, dependentRequired: { b: ['c'] } }, { b: 1 }, 'a must have "c"'],
  [{ additionalProperties: false }, { b: 1 }, 'a must not have "b"'],
  [{ unevaluatedProperties: false }, { b: 1 }, 'a must not have "b"'],
  [{ propertyNames: { maxLength: 1 } }, { bb: 1 }, 'a must not have a member named "bb"'],
  [{ anyOf: TWO }, 'x', 'a must be a whole number or must have at least 2 characters'],
  [{ oneOf: TWO }, null, 'a must be a whole number or must be a string'],
  [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1, 'a fits two alternatives, and may fit one only'],
  [{ anyOf: [{ properties: { b: { const: 1 } }, required: ['b'] }] }, { b: 2 }, 'a fits none of the alternatives'],
  [{ anyOf: [{ properties: { b: { const: 1 } } }, { type: 'array' }] }, { b: 2 }, 'a fits none of the alternatives'],
  [{ not: { type: 'integer' } }, 1, 'a does not fit what "not" says'],
  [JSON.parse('{"if": {"type": "integer"}, "then": {"minimum": 3}}'), 1, 'a must be at least 3'],
];
it.each(values)('%j reports for %j: %s', (schema, value, sentence) => {
  const misfit = compiled(schema)({ id: 'did:key:z', a: value });
  expect(`${misfit?.path} ${misfit?.message}`).toBe(sentence);
});

const AT = 'The document is not JSON Schema: "properties.credentialSubject';
const documents: [unknown, Json, string][] = [
  [{ type: 'intger' }, {}, `${AT}.properties.a.type" must be one of "array", "boolean", `],
  [{ minimum: 'x' }, {}, `${AT}.properties.a.minimum" must be a number.`],
  [{}, { required: 'a' }, `${AT}.required" must be a list.`],
  [{ exclusiveMinimum: true }, {}, `${AT}.properties.a.exclusiveMinimum" must be a number.`],
  [
    { pattern: '([' },
    {},
    'The pattern "([" of the document cannot be used: it is no regular expression of ECMAScript: ',
  ],
  [{ pattern: '(?=a)' }, {}, 'The pattern "(?=a)" of the document cannot be used: it looks ahead, (?=a).'],
];
const UNUSABLE = 'The document cannot be used to check a subject: "properties.credentialSubject.properties.a';
documents.push(
  [{ enum: [] }, {}, `${UNUSABLE}.enum" must not be empty.`],
  [{ type: 'string', $async: true }, {}, `${UNUSABLE}.$async" must be left out.`],
  [{ nullable: true }, {}, `${UNUSABLE}.nullable" needs "type" beside it.`],
  [{ type: 'null', nullable: false }, {}, `${UNUSABLE}.nullable" contradicts "type".`],
  [{ id: 'x' }, {}, `${UNUSABLE}.id" must be called "$id".`],
  [{ $id: 'http://[' }, {}, `${UNUSABLE}.$id" must be a URI.`],
  [
    { anyOf: [{ $anchor: 'x', type: 'string' }, { $anchor: 'x' }] },
    {},
    `${UNUSABLE}.anyOf.1.$anchor" is given to two parts of the document.`,
  ],
);
it.each(documents)('a document with %j and %j is refused: %s', (a, more, sentence) => {
  expect(() => compiled(a, more)).toThrow(sentence);
});
