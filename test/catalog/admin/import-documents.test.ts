// Published JSON Schema documents become schemas of the catalog, or are refused with a reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaFromDocument } from '../../../src/catalog/json-schema/schema-document.js';

const WILD = join(import.meta.dirname, '../../../../shared/data/schemas');
const points = (document: unknown) =>
  schemaFromDocument(document).dataPoints.map(
    ({ name, type, isRequired }) => `${name}:${type}${isRequired ? '!' : ''}`,
  );
const subject = (credentialSubject: unknown, rest: object = {}) => ({
  type: 'object',
  properties: { credentialSubject },
  ...rest,
});

/** Definitions d0, d1, …, each made from a reference to the previous one. */
const chain = (make: (before: object) => object, length = 40) =>
  Object.fromEntries(
    Array.from({ length: length + 1 }, (_, at) => [`d${at}`, at === 0 ? {} : make({ $ref: `#/$defs/d${at - 1}` })]),
  );

describe('a schema document', () => {
  const cases: [string, unknown, string[]][] = [
    [
      'nested objects become dotted names, required only when everything above is',
      subject({
        type: 'object',
        required: ['a'],
        properties: {
          id: { type: 'string' },
          a: { type: 'object', required: ['b'], properties: { b: { type: 'integer' }, c: { type: 'string' } } },
          d: { type: 'object', required: ['e'], properties: { e: { type: 'number' } } },
        },
      }),
      ['a.b:integer!', 'a.c:string', 'd.e:number'],
    ],
    [
      'formats of dates are types of their own',
      subject({
        properties: {
          a: { type: 'string', format: 'date' },
          b: { type: 'string', format: 'date-time' },
          c: { type: 'string', format: 'email' },
        },
      }),
      ['a:date', 'b:date-time', 'c:string'],
    ],
    [
      'arrays name what they hold',
      subject({
        properties: {
          a: { type: 'array', items: { type: 'string' } },
          b: { type: 'array', items: { type: 'object', properties: { x: { type: 'string' } } } },
          c: { type: 'array' },
        },
      }),
      ['a:string[]', 'b:object[]', 'c:array'],
    ],
    [
      '$ref into $defs and definitions is followed',
      subject(
        { properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/definitions/B~1C' } } },
        { $defs: { A: { type: 'boolean' } }, definitions: { 'B/C': { type: 'integer' } } },
      ),
      ['a:boolean', 'b:integer'],
    ],
    [
      '$anchor is followed',
      subject({ properties: { a: { $ref: '#here' } } }, { $defs: { A: { $anchor: 'here', type: 'boolean' } } }),
      ['a:boolean'],
    ],
    [
      'a reference by the own $id is followed',
      {
        $id: 'https://x.example/s',
        ...subject(
          { properties: { a: { $ref: 'https://x.example/s#/$defs/A' } } },
          { $defs: { A: { type: 'string' } } },
        ),
      },
      ['a:string'],
    ],
    [
      'allOf puts its branches together',
      subject({
        allOf: [{ required: ['a'], properties: { a: { type: 'string' } } }, { properties: { b: { type: 'integer' } } }],
      }),
      ['a:string!', 'b:integer'],
    ],
    [
      'what only an alternative requires is not required',
      subject({
        anyOf: [
          { required: ['a'], properties: { a: { type: 'string' } } },
          { required: ['b'], properties: { b: { type: 'string' } } },
        ],
      }),
      ['a:string', 'b:string'],
    ],
    [
      'a field of two alternatives is required by neither',
      subject({
        anyOf: [
          { properties: { a: { type: 'object', required: ['b'], properties: { b: { type: 'string' } } } } },
          { properties: { a: { type: 'object', required: ['c'], properties: { c: { type: 'string' } } } } },
        ],
        required: ['a'],
      }),
      ['a.b:string', 'a.c:string'],
    ],
    [
      'of several types there is no single one',
      subject({
        properties: {
          a: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          b: { type: ['integer', 'number'] },
          c: { oneOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
          d: {
            anyOf: [
              { type: 'string', format: 'date' },
              { type: 'string', format: 'date-time' },
            ],
          },
        },
      }),
      ['a:any', 'b:number', 'c:date', 'd:string'],
    ],
    [
      'nothing is required of an object that may be something else',
      subject({
        required: ['a'],
        properties: { a: { type: ['object', 'null'], required: ['b'], properties: { b: { type: 'string' } } } },
      }),
      ['a.b:string'],
    ],
    ['null among types is not the type', subject({ properties: { a: { type: ['null', 'integer'] } } }), ['a:integer']],
    [
      'enum and const tell the type',
      subject({ properties: { a: { enum: ['x', 'y'] }, b: { const: 3 } } }),
      ['a:string', 'b:integer'],
    ],
    [
      'a cycle ends',
      subject(
        { properties: { a: { $ref: '#/$defs/Node' } } },
        {
          $defs: {
            Node: { type: 'object', properties: { value: { type: 'string' }, next: { $ref: '#/$defs/Node' } } },
          },
        },
      ),
      ['a.value:string', 'a.next:object'],
    ],
    [
      'several subjects are described by one',
      subject({ type: 'array', items: { properties: { a: { type: 'string' } } } }),
      ['a:string'],
    ],
    [
      'a document may describe the subject directly',
      { type: 'object', properties: { id: {}, a: { type: 'string' } } },
      ['a:string'],
    ],
    [
      'names that objects have by birth are data',
      subject({ properties: JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "integer"}}') }),
      ['__proto__:string', 'constructor:integer'],
    ],
  ];
  it.each(cases)('a schema document is read: %s', (_name, document, expected) =>
    expect(points(document)).toEqual(expected),
  );

  it('a schema document keeps titles in any language, and without a title its name is used', () => {
    const { dataPoints } = schemaFromDocument(
      subject({ properties: { a: { title: '生年月日' }, b: { title: 5 }, c: { title: '  ' } } }),
    );
    expect(dataPoints.map(({ title }) => title)).toEqual(['生年月日', 'b', 'c']);
  });

  it('a schema document has its $id, otherwise a hash that does not depend on spacing and key order', () => {
    expect(schemaFromDocument({ $id: 'urn:x', ...subject({ properties: { a: {} } }) }).schemaId).toBe('urn:x');
    const one = schemaFromDocument({ title: 't', properties: { a: { type: 'string', title: 'A' } } });
    const other = schemaFromDocument({ properties: { a: { title: 'A', type: 'string' } }, title: 't' });
    expect(one.schemaId).toMatch(/^urn:sha256:[0-9a-f]{64}$/);
    expect(other.schemaId).toBe(one.schemaId);
  });

  const refusals: [string, unknown, string][] = [
    ['a list', [], 'must be a JSON object'],
    ['nothing described', { title: 'empty' }, 'no data points'],
    [
      'a credential without a subject',
      { properties: { issuer: { type: 'string' }, '@context': {} } },
      'no data points',
    ],
    ['a reference outside', subject({ properties: { a: { $ref: 'https://elsewhere.example/a.json' } } }), 'outside it'],
    [
      'a reference to its dialect',
      subject({ properties: { a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } }),
      'outside it',
    ],
    ['a reference to nothing', subject({ properties: { a: { $ref: '#/$defs/none' } } }), 'not in it'],
    [
      'too many data points',
      subject({ properties: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`p${i}`, {}])) }),
      'more than 1000',
    ],
    ['draft-04', { $schema: 'http://json-schema.org/draft-04/schema#', properties: { a: {} } }, 'draft-07, 2019-09'],
    ['a dialect that is no text', { $schema: 7, properties: { a: {} } }, '$schema must be a text'],
    ['a dialect that is no address', { $schema: 'x', properties: { a: {} } }, 'is of "x"; JSON Schema draft-07'],
    ['a required field that nothing describes', subject({ required: ['zz'], properties: { a: {} } }), 'requires "zz"'],
    [
      'the same in an object that is required',
      subject({ required: ['o'], properties: { o: { required: ['zz'], properties: { a: {} } } } }),
      'requires "o.zz"',
    ],
    ['a name with a dot', subject({ properties: { a: { type: 'string' }, 'a.b': {} } }), 'property named "a.b"'],
    [
      'the same inside an object',
      subject({ properties: { a: { properties: { 'b.c': {} } } } }),
      'property named "b.c"; names must not have a dot',
    ],
    ['a field below the id by its name', subject({ properties: { a: {}, 'id.x': {} } }), 'property named "id.x"'],
    [
      'definitions that double',
      subject({ properties: { a: { $ref: '#/$defs/d40' } } }, { $defs: chain((next) => ({ allOf: [next, next] })) }),
      'once its references are followed',
    ],
    [
      'definitions that lead on and on',
      subject({ properties: { a: { $ref: '#/$defs/d5000' } } }, { $defs: chain((items) => ({ items }), 5_000) }),
      'levels deep once its references are followed',
    ],
    ['too deep', JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`), 'levels deep'],
    [
      'too many branches',
      subject({ properties: { a: { anyOf: Array.from({ length: 1_500 }, () => ({ type: 'string' })) } } }),
      'too many branches',
    ],
  ];
  it.each(refusals)('a schema document with %s is refused with a reason', (_name, document, reason) =>
    expect(() => schemaFromDocument(document)).toThrow(reason),
  );
});

describe.skipIf(!existsSync(WILD))('published documents (skipped where ../shared/data/schemas is absent)', () => {
  const files = existsSync(WILD) ? readdirSync(WILD).filter((name) => name.endsWith('.json')) : [];
  const imported = (file: string) => schemaFromDocument(JSON.parse(readFileSync(join(WILD, file), 'utf8')));

  it.each(files)('a schema document with %s is imported', (file) => {
    const schema = imported(file);
    expect(schema.title).not.toBe('');
    expect(schema.dataPoints.length).toBeGreaterThan(0);
    expect(schema.dataPoints.map(({ name }) => name)).not.toContain('id');
  });

  it('faults of a schema document are reported as a person read them', async () => {
    const told = files.sort().map((file) => {
      const { title, dataPoints } = imported(file);
      const lines = dataPoints.map(({ name, type, isRequired }) => `  ${name}: ${type}${isRequired ? '!' : ''}`);
      return [file, `  "${title}"`, ...lines].join('\n');
    });
    await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('published-documents.txt');
  });
});
