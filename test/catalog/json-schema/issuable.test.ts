// What a document allows can be issued: the data points are never stricter than the document.
import { describe, expect, it } from 'vitest';
import { schemaFromDocument } from '../../../src/catalog/json-schema/schema-document.js';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';
import { checkSubject } from '../../../src/issuance/subject.js';

type Json = Record<string, unknown>;

const documentOf = (subject: Json, rest: Json = {}): Json => ({
  ...rest,
  properties: { credentialSubject: { type: 'object', ...subject } },
});
const pointsOf = (document: Json): string[] =>
  schemaFromDocument(document).dataPoints.map(
    ({ name, type, isRequired }) => `${name} ${type}${isRequired ? '!' : ''}`,
  );

/** Checks a subject as issuing does, by the data points and by the document. */
function issue(document: Json, subject: Json): void {
  const misfit = compileSubject(document)({ id: 'did:key:z', ...subject });
  if (misfit) throw new Error(`${misfit.path} ${misfit.message}`);
  checkSubject(subject, schemaFromDocument(document).dataPoints, { hasDocument: true });
}

/** A schema in which `then` or `else` stands beside other keywords. */
const branch = (key: 'then' | 'else', schema: Json): Json => ({ [key]: schema });
const list = (items: unknown) => ({ type: 'array', items });
const DATE = { type: 'string', format: 'date' };
const DATE_TIME = { type: 'string', format: 'date-time' };
const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };

describe('a value that one of several alternatives allows', () => {
  it.each<[string, Json, string, unknown[], unknown[]]>([
    ['lists of texts or numbers', { oneOf: [list(TEXT), list(NUMBER)] }, 'any[]', [['x'], [1]], [[true], 'x']],
    [
      'coordinates',
      { oneOf: [list(NUMBER), list(list(NUMBER)), list(list(list(NUMBER)))] },
      'any[]',
      [[1, 2], [[1, 2]], [[[1, 2]]]],
      [['x'], [[['x']]]],
    ],
    [
      'dates or date-times',
      list({ anyOf: [DATE, DATE_TIME] }),
      'string[]',
      [['2026-01-01', '2026-01-01T00:00:00Z']],
      [[5]],
    ],
    ['lists of dates or date-times', { anyOf: [list(DATE), list(DATE_TIME)] }, 'string[]', [['2026-01-01']], [['x']]],
    ['lists of anything or texts', { anyOf: [list(TEXT), { type: 'array' }] }, 'array', [[1, 'x']], ['x']],
    [
      'a tuple',
      { type: 'array', prefixItems: [TEXT, NUMBER], items: { type: 'boolean' } },
      'any[]',
      [['x', 1, true]],
      [[1]],
    ],
    ['a tuple alone', { type: 'array', prefixItems: [TEXT, NUMBER], items: false }, 'array', [['x', 1]], [['x', 1, 1]]],
    ['a list of entries of two kinds', list({ oneOf: [TEXT, list(NUMBER)] }), 'any[]', [['x', [1]]], [[[['x']]]]],
    ['a whole number or a minimum', { anyOf: [{ type: 'integer' }, { minimum: 5 }] }, 'any', [1, 5.5, 'x'], [1.5]],
    ['a date or a word', { anyOf: [DATE, { const: 'unknown' }] }, 'string', ['2026-01-01', 'unknown'], ['x']],
    ['a date or anything short', { anyOf: [DATE, { maxLength: 3 }] }, 'any', ['2026-01-01', 'x', 5], ['long']],
    ['a date or true', { anyOf: [DATE, true] }, 'any', ['2026-01-01', 5], []],
    ['a date or false', { anyOf: [DATE, false] }, 'date', ['2026-01-01'], [5]],
    [
      'what two parts allow',
      { allOf: [{ type: ['string', 'integer'] }, { type: ['integer', 'null'] }] },
      'integer',
      [5],
      ['x'],
    ],
    ['whole among other numbers', { allOf: [NUMBER, { type: 'integer' }] }, 'integer', [5], [5.5]],
  ])('a value that one of several alternatives allows can be issued: %s', (_name, a, type, fitting, others) => {
    const document = documentOf({ properties: { a } });
    expect(pointsOf(document)).toEqual([`a ${type}`]);
    for (const value of fitting) expect(() => issue(document, { a: value }), JSON.stringify(value)).not.toThrow();
    for (const value of others) expect(() => issue(document, { a: value }), JSON.stringify(value)).toThrow();
  });

  it('a value that one of several alternatives allows can be issued in the branches of its object', () => {
    const branches = [
      { properties: { a: { type: 'integer' } } },
      { properties: { a: TEXT, b: list(TEXT) } },
      { properties: { b: list(NUMBER) } },
    ];
    const document = documentOf({ anyOf: branches });
    expect(pointsOf(document)).toEqual(['a any', 'b any[]']);
    for (const subject of [{ a: 1 }, { a: 'x', b: ['x'] }, { b: [1] }]) issue(document, subject);
    const narrowed = documentOf({
      properties: { a: TEXT },
      anyOf: [{ properties: { a: DATE } }, { required: ['b'], properties: { b: {} } }],
    });
    expect(pointsOf(narrowed)).toEqual(['a string', 'b any']);
    issue(narrowed, { a: 'x', b: 1 });
  });

  it('a value that one of several alternatives allows can be issued in a definition that contains itself or is used twice', () => {
    const $defs = {
      T: TEXT,
      N: { type: 'object', properties: { t: { $ref: '#/$defs/T' }, n: { $ref: '#/$defs/N' } } },
    };
    const document = documentOf({ properties: { n: { $ref: '#/$defs/N' } } }, { $defs });
    expect(pointsOf(document)).toEqual(['n.t string', 'n.n object']);
    issue(document, { n: { t: 'x', n: { t: 'x' } } });
    const twice = documentOf(
      { anyOf: [{ $ref: '#/$defs/P' }], $ref: '#/$defs/P' },
      { $defs: { P: { properties: { t: TEXT }, required: ['t'] } } },
    );
    expect(pointsOf(twice)).toEqual(['t string!']);
    const list = { T: { type: 'array', items: { $ref: '#/$defs/T' } } };
    expect(pointsOf(documentOf({ properties: { a: { $ref: '#/$defs/T' } } }, { $defs: list }))).toEqual(['a array[]']);
  });
});

it('an object without a type may be another value, whose fields are not missing', () => {
  const $defs = { any: true, none: false };
  const fields = { x: { $ref: '#/$defs/any' }, y: { $ref: '#/$defs/none' } };
  const document = documentOf(
    { required: ['o'], properties: { o: { properties: fields, required: ['x'] } } },
    { $defs },
  );
  expect(pointsOf(document)).toEqual(['o.x any!', 'o.y any']);
  for (const o of [5, 'x', [], { x: 1 }]) issue(document, { o });
  for (const subject of [{}, { o: {} }, { o: { x: 1, y: 1 } }]) expect(() => issue(document, subject)).toThrow();
});

describe('fields of parts that hold under a condition are data points, and none of them is required', () => {
  const more = { required: ['b'], properties: { b: { ...TEXT, title: 'B' } } };
  it.each<[string, Json, Json, Json]>([
    ['then', { if: { required: ['a'] }, ...branch('then', more) }, { a: 1, b: 'x' }, { a: 1 }],
    ['else', { if: { required: ['a'] }, else: more }, { b: 'x' }, {}],
    ['dependentSchemas', { dependentSchemas: { a: more } }, { a: 1, b: 'x' }, { a: 1 }],
    [
      'dependencies',
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: more } },
      { a: 1, b: 'x' },
      { a: 1 },
    ],
    [
      'then of a part',
      { allOf: [{ if: { required: ['a'] }, ...branch('then', more) }, {}] },
      { a: 1, b: 'x' },
      { a: 1 },
    ],
    ['then of a reference', { $ref: '#/$defs/D' }, { a: 1, b: 'x' }, { a: 1 }],
  ])('fields under a condition are data points, and none is required: %s', (_name, subject, fitting, other) => {
    const { $schema, ...rest } = subject;
    const $defs = { D: { if: { required: ['a'] }, ...branch('then', more) } };
    const document = documentOf({ properties: { a: {} }, ...rest }, { $defs, ...($schema ? { $schema } : {}) });
    expect(pointsOf(document)).toEqual(['a any', 'b string']);
    issue(document, fitting);
    expect(() => issue(document, other)).toThrow('b');
  });

  it('a field that only a condition requires is not required', () => {
    const document = documentOf({
      if: { properties: { a: { const: 'x' } }, required: ['a'] },
      ...branch('then', more),
    });
    expect(pointsOf(document)).toEqual(['a any', 'b string']);
    issue(document, { a: 5 });
    issue(document, { a: 'x', b: 'y' });
    expect(() => issue(document, { a: 'x' })).toThrow('b is missing');
  });

  it('fields under a condition are data points also if the whole credential is described', () => {
    const of = (properties: Json) => ({ properties: { credentialSubject: { properties } } });
    const document = {
      ...of({ a: {} }),
      if: of({ a: { const: 1 } }),
      ...branch('then', { properties: { credentialSubject: more } }),
    };
    expect(pointsOf(document)).toEqual(['a any', 'b string']);
    issue(document, { a: 1, b: 'x' });
    issue(document, { a: 2 });
    expect(() => issue(document, { a: 1 })).toThrow('b is missing');
  });
});
