// Subjects are checked against JSON Schema documents of all kinds, including hostile ones, by the gateway's worker.
import { afterAll, describe, expect, it } from 'vitest';
import { DocumentChecks } from '../../../src/catalog/json-schema/document-checks.service.js';

type Json = Record<string, unknown>;

const checks = new DocumentChecks();
afterAll(() => checks.close());

const HOLDER = 'did:core:id:testnet:x';
const asDocument = (document: object) => {
  const text = JSON.stringify(document);
  return { document: text, contentHash: text };
};
const check = (document: object, subject: Json) => checks.check(asDocument(document), { id: HOLDER, ...subject });
/** Repeats a check that had no turn or no verdict because the machine was too busy. */
const patiently = (document: object, subject: Json): Promise<void> =>
  check(document, subject).catch((error) =>
    error.code === 'STORE_UNAVAILABLE' ? patiently(document, subject) : Promise.reject(error),
  );
const ofSubject = (credentialSubject: object, rest: object = {}) => ({ properties: { credentialSubject }, ...rest });
const a = { type: 'string' };

describe('a subject', () => {
  const fitting: [string, object, Json][] = [
    ['a document without an $id', ofSubject({ properties: { a } }), { a: 'x' }],
    ['a relative $id', ofSubject({ properties: { a } }, { $id: '/schemas/a.json' }), { a: 'x' }],
    [
      'a reference by a relative $id',
      ofSubject({ properties: { a: { $ref: 'a.json#/$defs/A' } } }, { $id: 'a.json', $defs: { A: a } }),
      { a: 'x' },
    ],
    [
      'a reference by the last part of an absolute $id',
      ofSubject(
        { properties: { a: { $ref: 'a.json#/$defs/A' } } },
        { $id: 'https://x.example/a.json', $defs: { A: a } },
      ),
      { a: 'x' },
    ],
    [
      'a reference by a short URN',
      ofSubject({ properties: { a: { $ref: 'urn:x#/$defs/A' } } }, { $id: 'urn:x', $defs: { A: a } }),
      { a: 'x' },
    ],
    [
      'no fields but those named, id not among them',
      ofSubject({ additionalProperties: false, properties: { a } }),
      { a: 'x' },
    ],
    ['nothing unevaluated', ofSubject({ unevaluatedProperties: false, properties: { a } }), { a: 'x' }],
    [
      'a name that every object inherits, where it is not required',
      ofSubject({ required: ['a'], properties: { a, constructor: a, valueOf: a } }),
      { a: 'x' },
    ],
    ['an id that is required', ofSubject({ required: ['id'], properties: { a } }), { a: 'x' }],
    ['several subjects', ofSubject({ type: 'array', items: { properties: { a }, required: ['a'] } }), { a: 'x' }],
    [
      'a subject in a definition of the credential',
      {
        allOf: [{ $ref: '#/$defs/C' }],
        $defs: { C: ofSubject({ required: ['a'], properties: { a } }) },
        required: ['issuer'],
      },
      { a: 'x' },
    ],
    [
      'either of two credentials',
      { anyOf: [ofSubject({ properties: { a: { const: 1 } } }), ofSubject({ properties: { a: { const: 2 } } })] },
      { a: 2 },
    ],
    ['a document of the subject itself', { properties: { a }, required: ['a'] }, { a: 'x' }],
    [
      'an anchor',
      ofSubject({ properties: { a: { $ref: '#A' } } }, { $defs: { A: { $anchor: 'A', ...a } } }),
      { a: 'x' },
    ],
    [
      'an anchor of draft-07',
      ofSubject(
        { properties: { a: { $ref: '#A' } } },
        {
          $schema: 'http://json-schema.org/draft-07/schema#',
          definitions: { A: { $id: '#A', ...a } },
        },
      ),
      { a: 'x' },
    ],
  ];
  it.each(fitting)('a subject is accepted: %s', (_name, document, subject) => check(document, subject));

  const unfitting: [string, object, Json, string][] = [
    [
      'an id of another form',
      ofSubject({ properties: { id: { pattern: '^did:web:' }, a } }),
      { a: 'x' },
      '"credentialSubject.id" must match',
    ],
    [
      'what is required of several',
      ofSubject({ type: 'array', items: { required: ['a'], properties: { a } } }),
      {},
      '"credentialSubject.a" is missing, says',
    ],
    [
      'a field of several',
      ofSubject({ type: 'array', items: { properties: { a } } }),
      { a: 5 },
      '"credentialSubject.a" must be',
    ],
    [
      'what a definition of the credential requires',
      { allOf: [{ $ref: '#/$defs/C' }], $defs: { C: ofSubject({ required: ['a'], properties: { a } }) } },
      {},
      '"credentialSubject.a" is missing, says',
    ],
    [
      'none of two credentials',
      { anyOf: [ofSubject({ properties: { a: { const: 1 } } }), ofSubject({ properties: { a: { const: 2 } } })] },
      { a: 3 },
      '"credentialSubject',
    ],
    [
      'an object inside itself at the same place',
      ofSubject({ properties: { a: { $ref: '#/$defs/A' } } }, { $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } }),
      { a: 1 },
      '"credentialSubject" cannot be checked',
    ],
  ];
  it.each(unfitting)('a subject is refused: %s', async (_name, document, subject, sentence) => {
    await expect(check(document, subject)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(sentence),
    });
  });

  it('a subject is checked against each of 50 patterns in one document', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: `^${name}$` }]));
    const subject = Object.fromEntries(names.map((name) => [name, name]));
    const document = ofSubject({ properties });
    await check(document, subject);
    for (const [index, name] of names.entries()) {
      const field = `credentialSubject.${name}`;
      const wrong = check(document, { ...subject, [name]: names[(index + 1) % 50] });
      await expect(wrong).rejects.toMatchObject({ data: { field } });
    }
  });

  it('a subject is checked for multiples in decimals, however small or large', async () => {
    const multiples = (multipleOf: number) => ofSubject({ properties: { a: { type: 'number', multipleOf } } });
    for (const value of [19.99, 0.07, 1.1, -0.29, 0, 1e9 + 0.01, 1e22]) await check(multiples(0.01), { a: value });
    for (const [value, of] of [
      [0.3, 0.1],
      [3e-9, 1e-9],
      [6, 1.5],
    ] as const)
      await check(multiples(of), { a: value });
    for (const [value, of] of [
      [0.015, 0.01],
      [1e9 + 0.015, 0.01],
      [3.000001, 1],
      [1e-9, 1],
    ] as const)
      await expect(check(multiples(of), { a: value })).rejects.toThrow(
        `"credentialSubject.a" must be a multiple of ${of}, says`,
      );
  });

  it("the names of a subject's fields are checked against patterns, too", async () => {
    const document = ofSubject({ patternProperties: { '^a': { type: 'string' }, '^b': { type: 'integer' } } });
    await check(document, { a1: 'x', b1: 1 });
    await expect(check(document, { a1: 1 })).rejects.toMatchObject({ data: { field: 'credentialSubject.a1' } });
    await expect(check(document, { b1: 'x' })).rejects.toMatchObject({ data: { field: 'credentialSubject.b1' } });
  });

  it('a subject whose check takes too long is refused, and subjects of other documents are checked meanwhile and afterwards', async () => {
    const slow = ofSubject({ properties: { list: { uniqueItems: true } } });
    const list = Array.from({ length: 60_000 }, (_, a) => ({ a, b: [a] }));
    const quick = ofSubject({ properties: { a } });
    const late = patiently(slow, { list });
    const meanwhile = patiently(quick, { a: 'x' });
    await expect(late).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('takes more than 1 s'),
      data: { field: 'credentialSubject' },
    });
    await meanwhile;
    await expect(check(quick, { a: 1 })).rejects.toMatchObject({ data: { field: 'credentialSubject.a' } });
  });

  it('a subject whose value doubles the work with each level is refused in time', async () => {
    const twice = { allOf: [{ $ref: '#/$defs/N' }, { $ref: '#/$defs/N' }] };
    const document = ofSubject(
      { properties: { n: { $ref: '#/$defs/N' } } },
      { $defs: { N: { properties: { n: twice } } } },
    );
    const n = Array.from({ length: 30 }).reduce<Json>((inner) => ({ n: inner }), {});
    await expect(patiently(document, { n })).rejects.toThrow('takes more than 1 s');
  });
});

describe('a document that nothing can be checked against', () => {
  const documents: [string, object, string][] = [
    ['look-around', ofSubject({ properties: { a: { pattern: '^(?!b)' } } }), '(?!'],
    [
      'a repeat of repeats',
      ofSubject({ properties: { a: { pattern: '((a{100}){100}){100}' } } }),
      'more than 1,000 times',
    ],
    [
      'patterns that are too large together',
      ofSubject({
        properties: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { pattern: `b{${900 + i}}` }])),
      }),
      'patterns',
    ],
    ['a check that is asynchronous', ofSubject({ $async: true, properties: { a } }), 'async'],
    [
      'a keyword of draft-04',
      ofSubject({ properties: { a: { minimum: 1, exclusiveMinimum: true } } }),
      'exclusiveMinimum',
    ],
    ['a reference to nothing', ofSubject({ properties: { a: { not: { $ref: '#/$defs/none' } } } }), 'none'],
  ];
  it.each(documents)('a document that cannot be used for checks is detected: %s', async (_name, document, part) => {
    expect(await checks.faultOf(asDocument(document))).toContain(part);
    await expect(check(document, {})).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a new document under which nothing could be issued', () => {
  const faultOf = (document: object) => checks.faultOf(asDocument(document));
  const of = (schema: unknown) => ofSubject({ properties: { a: schema } });
  const whole = 'must be a whole number, 0 or more';
  const places: [string, unknown, string, string][] = [
    ['a length below 0', { maxLength: -1 }, 'maxLength', whole],
    ['entries below 0', { minItems: -1 }, 'minItems', whole],
    ['half a character', { minLength: 1.5 }, 'minLength', whole],
    ['multiples of 0', { multipleOf: 0 }, 'multipleOf', 'must be a number above 0'],
    ['no alternatives', { anyOf: [] }, 'anyOf', 'must not be empty'],
    ['no parts', { allOf: [] }, 'allOf', 'must not be empty'],
    ['none of one', { items: { oneOf: [] } }, 'items.oneOf', 'must not be empty'],
    ['a number for a schema', 5, '', 'must be a schema: an object, true or false'],
    ['a text for a schema', { items: 'x' }, 'items', 'must be a schema: an object, true or false'],
    ['a list for a schema', { not: [] }, 'not', 'must be a schema: an object, true or false'],
    ['nullable of a number', { nullable: 5 }, 'nullable', 'must be true or false'],
    ['itself', { $ref: '#/properties/credentialSubject/properties/a' }, '', 'refers to itself for the same value'],
  ];
  it.each(places)('an unusable new document is refused with the path: %s', async (_name, schema, path, sentence) => {
    const place = ['properties.credentialSubject.properties.a', path].filter(Boolean).join('.');
    const reason = `The document cannot be used to check a subject: "${place}" ${sentence}.`;
    expect(await faultOf(of(schema))).toBe(reason);
  });

  it('a new document that applies to itself is refused', async () => {
    const itself = 'it refers to itself for the same value';
    expect(await faultOf({ allOf: [{ $ref: '#' }], properties: { a } })).toContain(itself);
    expect(await faultOf({ $ref: '#', properties: { a } })).toContain(itself);
    const tree = { properties: { a, child: { $ref: '#' } } };
    expect(await faultOf(tree)).toBeUndefined();
  });

  const ids: [object, string][] = [
    [{ pattern: '^did:key:' }, 'must match the pattern ^did:key:'],
    [{ type: 'integer' }, 'must be a whole number'],
    [{ $ref: '#/$defs/I' }, 'must have at most 3 characters'],
  ];
  it.each(ids)("a new document is refused if no holder's DID fits its id: %j", async (id, sentence) => {
    const reason = `The document refuses every holder's DID: "id" ${sentence}.`;
    const rest = { $defs: { I: { maxLength: 3 } } };
    expect(await faultOf(ofSubject({ required: ['a'], properties: { a, id } }, rest))).toBe(reason);
    expect(await faultOf(ofSubject({ type: 'array', items: { properties: { a, id } } }, rest))).toBe(reason);
  });

  it('a new document is refused if it forbids the id that it requires or describes', async () => {
    const closed = { properties: { a }, additionalProperties: false };
    const forbids = /^The document forbids the "id" that it describes or requires/;
    const forbidding = [
      { $ref: '#/$defs/closed', required: ['id'] },
      { allOf: [closed, { properties: { id: { type: 'string' } } }] },
      { type: 'array', items: { ...closed, required: ['id'] } },
    ];
    for (const subject of forbidding)
      expect(await faultOf(ofSubject(subject, { $defs: { closed } })), JSON.stringify(subject)).toMatch(forbids);
    const allowing = [
      { ...closed, required: ['id'], patternProperties: { '^i': {} } },
      { anyOf: [closed, { required: ['id'] }], properties: { id: {} } },
    ];
    for (const subject of allowing) expect(await faultOf(ofSubject(subject)), JSON.stringify(subject)).toBeUndefined();
  });

  it('a new document is accepted if its id fits in some alternative, or if a property is named like a keyword', async () => {
    const alternatives = ['^did:key:', '^did:core:'].map((pattern) => ({ properties: { id: { pattern } } }));
    expect(await faultOf(ofSubject({ properties: { a }, anyOf: alternatives }))).toBeUndefined();
    expect(await faultOf(ofSubject({ properties: { a, maxLength: a, anyOf: { const: [] } } }))).toBeUndefined();
    expect(await faultOf(ofSubject({ properties: { a: true, b: { default: { maxLength: -1 } } } }))).toBeUndefined();
  });
});
