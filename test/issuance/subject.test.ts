// A subject against the types of its data points: the labels mean what they mean to a program's conditions.
import { describe, expect, it } from 'vitest';
import type { DataPoint } from '../../src/catalog/rows/models.js';
import { documentOfPoints } from '../../src/issuance/schema-view.js';
import { credentialDocument } from '../../src/issuance/signed-credential.js';
import { checkSubject } from '../../src/issuance/subject.js';

const pointOf = (type: string): DataPoint => ({ name: 'a', title: 'A', type, isRequired: false, description: '' });

describe('A subject', () => {
  it.each<[string, unknown]>([
    ['int', 5],
    ['Long', -5],
    ['DECIMAL', 1.5],
    ['bool', true],
    ['text', 'x'],
    ['datetime', '2024-02-29T10:00:00Z'],
    ['int[]', [1, 2]],
    ['Object', {}],
    ['Country Code', 5],
    ['constructor', 'x'],
  ])('a subject of type %s may have %j', (type, value) => {
    expect(checkSubject({ a: value }, [pointOf(type)])).toEqual({ a: value });
  });

  it.each<[string, unknown]>([
    ['int', 'five'],
    ['long', 1.5],
    ['integer', 2 ** 53],
    ['double', '1'],
    ['bool', 1],
    ['text', 5],
    ['Date', '2024-02-29T10:00:00Z'],
    ['datetime', '2024-02-29'],
    ['date', '2023-02-29'],
    ['int[]', [1, 'x']],
    ['Array', {}],
  ])('a subject of type %s may not have %j', (type, value) => {
    expect(() => checkSubject({ a: value }, [pointOf(type)])).toThrow(`must be of type ${type}`);
  });
});

describe('The id of a subject', () => {
  it.each([true, false])(
    'the id of a subject is set by the signer, also beside a field below it (with a document: %s)',
    (hasDocument) => {
      const below = { ...pointOf('string'), name: 'id.x' };
      for (const id of ['did:web:other', { x: 'v' }, {}])
        expect(() => checkSubject({ id }, [below], { hasDocument })).toThrow('id is not a data point');
    },
  );

  it("the id of a subject is the holder's in the credential, whatever the claim has", () => {
    const claim = { holderDid: 'did:web:holder', credentialSubject: { id: 'did:web:other', a: 1 } } as never;
    const facts = { claim, validFrom: new Date(), publicUrl: 'https://gateway.example' } as never;
    expect(credentialDocument(facts).credentialSubject).toEqual({ id: 'did:web:holder', a: 1 });
  });
});

describe('The document of data points', () => {
  it.each<[string, object]>([
    ['long', { type: 'integer' }],
    ['Double', { type: 'number' }],
    ['datetime', { type: 'string', format: 'date-time' }],
    ['bool[]', { type: 'array', items: { type: 'boolean' } }],
    ['object', { type: 'object' }],
    ['constructor', {}],
  ])('the document of data points describes %s as %j', (type, expected) => {
    const row = { title: 'T', description: '', dataPoints: [pointOf(type)] };
    const { properties } = documentOfPoints(row as never) as {
      properties: { credentialSubject: { properties: { a: object } } };
    };
    expect(properties.credentialSubject.properties.a).toEqual({ title: 'A', ...expected });
  });
});
