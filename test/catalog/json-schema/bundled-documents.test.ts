// Documents that are bundled into one: references between them stay inside, whatever name they use.
import { expect, it } from 'vitest';
import { schemaFromDocument } from '../../../src/catalog/json-schema/schema-document.js';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';

type Json = Record<string, unknown>;

const SHORT = { type: 'string', maxLength: 2 };
const ROOT = 'https://a.example/schemas/root.json';
const subject = (a: Json, rest: Json): Json => ({ ...rest, properties: { credentialSubject: { properties: { a } } } });
const refers = ($ref: string, rest: Json): Json => subject({ $ref }, rest);

it.each<[string, Json]>([
  [
    'an absolute $id',
    refers('https://b.example/b', { $id: ROOT, $defs: { B: { $id: 'https://b.example/b', ...SHORT } } }),
  ],
  [
    'an absolute $id, in a document without one',
    refers('https://b.example/b', { $defs: { B: { $id: 'https://b.example/b', ...SHORT } } }),
  ],
  [
    'an $id with an empty fragment',
    refers('https://b.example/b', { definitions: { B: { $id: 'https://b.example/b#', ...SHORT } } }),
  ],
  [
    'a relative $id, by a relative reference',
    refers('b.json', { $id: ROOT, $defs: { B: { $id: 'b.json', ...SHORT } } }),
  ],
  [
    'a relative $id, by an absolute reference',
    refers('https://a.example/b.json', { $id: ROOT, $defs: { B: { $id: '/b.json', ...SHORT } } }),
  ],
  [
    'an absolute $id, by a relative reference',
    refers('../b', { $id: ROOT, $defs: { B: { $id: 'https://a.example/b', ...SHORT } } }),
  ],
  ['a relative $id, in a document without one', refers('b.json', { $defs: { B: { $id: 'b.json', ...SHORT } } })],
  ['a URN', refers('urn:example:b', { $id: 'urn:example:a', $defs: { B: { $id: 'urn:example:b', ...SHORT } } })],
  ['a URN with a pointer', refers('urn:uuid:b#/$defs/C', { $defs: { B: { $id: 'urn:uuid:b', $defs: { C: SHORT } } } })],
  ['a pointer into it', refers('b.json#/$defs/C', { $id: ROOT, $defs: { B: { $id: 'b.json', $defs: { C: SHORT } } } })],
  [
    'a pointer through it',
    refers('#/$defs/B/$defs/C', { $defs: { B: { $id: 'https://b.example/b', $defs: { C: SHORT } } } }),
  ],
  [
    'a pointer from its own root',
    refers('b.json', {
      $defs: { B: { $id: 'b.json', $ref: '#/$defs/C', $defs: { C: SHORT } }, C: { type: 'integer' } },
    }),
  ],
  [
    'an anchor in it',
    refers('b.json#c', { $id: ROOT, $defs: { B: { $id: 'b.json', $defs: { C: { $anchor: 'c', ...SHORT } } } } }),
  ],
  [
    'one anchor in each of two',
    refers('b.json#c', {
      $id: ROOT,
      $defs: { B: { $id: 'b.json', $defs: { C: { $anchor: 'c', ...SHORT } } }, C: { $anchor: 'c', type: 'integer' } },
    }),
  ],
  [
    'an anchor of draft-07',
    refers('b.json#c', {
      $id: ROOT,
      definitions: { B: { $id: 'b.json', definitions: { C: { $id: '#c', ...SHORT } } } },
    }),
  ],
  [
    'one that is inside another, relative to it',
    refers('https://b.example/x/c', {
      $defs: { B: { $id: 'https://b.example/x/b', $defs: { C: { $id: 'c', ...SHORT } } } },
    }),
  ],
  [
    'one that refers back to the whole',
    refers('b.json', { $id: ROOT, $defs: { B: { $id: 'b.json', $ref: 'root.json#/$defs/C' }, C: SHORT } }),
  ],
  ['a name with a slash, a tilde and a percent sign', refers('#c', { $defs: { 'x/~%': { $anchor: 'c', ...SHORT } } })],
  ['a dynamic anchor of one part', subject({ $dynamicRef: '#t' }, { $defs: { T: { $dynamicAnchor: 't', ...SHORT } } })],
  [
    'a dynamic anchor beside a reference',
    subject({ $ref: '#/$defs/U', $dynamicRef: '#t' }, { $defs: { U: {}, T: { $dynamicAnchor: 't', ...SHORT } } }),
  ],
  ['the bundle itself a reference', { $ref: 'c.json', $defs: { C: { $id: 'c.json', ...subject(SHORT, {}) } } }],
  [
    'what only looks like references',
    subject(
      { allOf: [SHORT], not: { const: { $ref: 'https://b.example/b' } }, default: { $id: 'b', $ref: 'b' } },
      { $defs: { b: { properties: { $ref: { type: 'string' }, $id: { type: 'string' } } } } },
    ),
  ],
])('a document with bundled documents is read: %s', (_name, document) => {
  expect(schemaFromDocument(document).dataPoints).toMatchObject([{ name: 'a', type: 'string' }]);
  const check = compileSubject(document, 'did:key:z');
  expect(check({ id: 'did:key:z', a: 'xx' })).toBeUndefined();
  expect(check({ id: 'did:key:z', a: 'xxx' })).toEqual({ path: 'a', message: 'must have at most 2 characters' });
});

it.each<[string, Json, string]>([
  [
    'elsewhere',
    refers('https://b.example/c', { $defs: { B: { $id: 'https://b.example/b' } } }),
    '"https://b.example/c", which is outside it',
  ],
  ['nothing in it', refers('b#/$defs/C', { $defs: { B: { $id: 'b' } } }), 'which is not in it'],
  [
    'an anchor of another one',
    refers('#c', { $defs: { B: { $id: 'b', $defs: { C: { $anchor: 'c' } } } } }),
    '"#c", which is not in it',
  ],
])('a reference to %s is refused', (_name, document, reason) => {
  expect(() => schemaFromDocument(document)).toThrow(reason);
});

it('one name for two parts is refused with its path, as is a reference that depends on how it is reached', () => {
  const twice = refers('b', { $defs: { B: { $id: 'b' }, C: { $id: 'b' } } });
  expect(() => compileSubject(twice)).toThrow('"$defs.C.$id" is given to two parts of the document.');
  const dynamic = subject(
    { $dynamicRef: '#t' },
    { $defs: { T: { $dynamicAnchor: 't' }, B: { $id: 'b', $dynamicAnchor: 't' } } },
  );
  expect(() => compileSubject(dynamic)).toThrow('the $dynamicRef "#t" may mean several of its parts.');
});
