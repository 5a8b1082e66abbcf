// What an operator may write. A refusal names the first member that does not fit.
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/base/errors.js';
import { parseInput } from '../../../src/base/input.js';
import { IMPORT_BODIES, PUT_BODIES } from '../../../src/catalog/admin/bodies.js';
import { CATALOG_KINDS, type CatalogKind } from '../../../src/catalog/rows/models.js';

const GOOD = {
  issuers: { name: 'North University', issuerDid: 'did:web:north.example', issuerFrom: 'EU' },
  verifiers: { name: 'Gate', verifierDid: 'did:web:gate.example:doors' },
  schemas: {
    title: 'Degree',
    description: 'A degree.',
    dataPoints: [{ name: 'degree.level', title: 'Level', type: 'string', isRequired: true, description: '' }],
  },
  credentials: { name: 'BSc', category: 'education', issuerId: 'north', schemaId: 'degree' },
  programs: {
    name: 'Door',
    description: '',
    verifierId: 'gate',
    acceptedCredentials: [{ credentialId: 'bsc', verificationConditions: ['degree.level == "BSc"'] }],
    pricingModel: 'free',
  },
} as const satisfies Record<CatalogKind, object>;

function refusal(kind: CatalogKind, body: unknown, bodies = PUT_BODIES): { field?: string; message: string } {
  try {
    parseInput<unknown>(bodies[kind], body);
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown;
    expect(thrown.code).toBe('BAD_USER_INPUT');
    return { field: thrown.data.field, message: thrown.message };
  }
  return { message: 'taken' };
}

describe('a body', () => {
  it.each(CATALOG_KINDS)("a body of %s is accepted in the contract's form", (kind) => {
    expect(refusal(kind, GOOD[kind])).toEqual({ message: 'taken' });
  });

  it.each(CATALOG_KINDS)('a body of %s without any one of its fields is refused, naming that field', (kind) => {
    for (const field of Object.keys(GOOD[kind])) {
      const { [field]: _, ...rest } = GOOD[kind] as Record<string, unknown>;
      expect(refusal(kind, rest)).toMatchObject({ field, message: expect.stringContaining(`"${field}" is missing`) });
    }
  });

  it.each(CATALOG_KINDS)('a body of %s with an unknown field is refused, naming it', (kind) => {
    expect(refusal(kind, { ...GOOD[kind], nme: 1 })).toEqual({
      field: 'nme',
      message: '"nme" is not a field that is known here.',
    });
  });

  it.each(CATALOG_KINDS)('a body of %s that is no object is refused', (kind) => {
    for (const body of [null, [], 'text', 1]) expect(refusal(kind, body).message).toBe('The body must be an object.');
  });

  it.each<[CatalogKind, object, string, string]>([
    ['issuers', { name: '' }, 'name', 'must not be empty'],
    ['issuers', { name: '  ' }, 'name', 'must not be empty'],
    ['issuers', { name: 'x'.repeat(201) }, 'name', 'must be at most 200 characters'],
    ['issuers', { name: 'a\u0000b' }, 'name', 'must not hold control characters'],
    ['issuers', { name: { $gt: '' } }, 'name', 'must be a string'],
    ['issuers', { issuerDid: 'web:north' }, 'issuerDid', 'must be a DID'],
    ['issuers', { issuerDid: 'did:web:' }, 'issuerDid', 'must be a DID'],
    ['issuers', { issuerDid: 'did:web:a b' }, 'issuerDid', 'must be a DID'],
    ['issuers', { availableVcUrl: 'http://issuer.example/available' }, 'availableVcUrl', 'must be an https URL'],
    ['issuers', { issueVcUrl: 'https://me:secret@issuer.example/' }, 'issueVcUrl', 'must be an https URL'],
    ['issuers', { issueVcUrl: 'nonsense' }, 'issueVcUrl', 'must be an https URL'],
    ['issuers', { subjectUrl: 'http://issuer.example/subject' }, 'subjectUrl', 'must be an https URL'],
    ['issuers', { subjectUrl: 'https://issuer.example/' }, 'subjectUrl', 'must be left out unless managed is true'],
    ['issuers', { credentialUrl: 'https://issuer.example/' }, 'credentialUrl', 'needs anchors or walletIssuer'],
    [
      'issuers',
      { managed: true, issuerDid: undefined, credentialUrl: 'https://issuer.example/' },
      'credentialUrl',
      'must be left out when managed is true',
    ],
    ['issuers', { managed: true }, 'issuerDid', 'must be left out when managed is true'],
    ['issuers', { issuerDid: undefined }, 'issuerDid', 'is missing (or set managed to true)'],
    ['issuers', { managed: 'yes' }, 'managed', 'must be true or false'],
    ['schemas', { jsonSchema: {} }, 'title', 'must be left out when jsonSchema is given'],
    ['schemas', { dataPoints: [{ name: 'id', type: 'string' }] }, 'dataPoints[0].name', 'must not be "id"'],
    ['schemas', { dataPoints: [{ name: 'a', type: 'b', extra: 1 }] }, 'dataPoints[0].extra', 'is not a field'],
    [
      'schemas',
      {
        dataPoints: [
          { name: 'a', type: 'x' },
          { name: 'a', type: 'y' },
        ],
      },
      'dataPoints',
      'one field twice',
    ],
    ['schemas', { dataPoints: [] }, 'dataPoints', 'at least one data point'],
    [
      'schemas',
      {
        dataPoints: [
          { name: 'a', type: 'b' },
          { name: 'a.b', type: 'b' },
        ],
      },
      'dataPoints',
      'a and a.b',
    ],
    ['schemas', { dataPoints: 'none' }, 'dataPoints', 'must be a list'],
    ['credentials', { issuerId: 'a b' }, 'issuerId', 'printable characters without white space'],
    ['credentials', { issuerId: '' }, 'issuerId', 'printable characters'],
    ['credentials', { schemaId: 'x'.repeat(501) }, 'schemaId', 'at most 500 characters'],
    ['credentials', { accessibleStart: 'tomorrow' }, 'accessibleStart', 'must be an ISO 8601 time'],
    ['credentials', { accessibleStart: '2026-02-30T00:00:00Z' }, 'accessibleStart', 'must be an ISO 8601 time'],
    [
      'credentials',
      { accessibleStart: '2026-02-02T00:00:00Z', accessibleEnd: '2026-02-02T00:00:00Z' },
      'accessibleEnd',
      'must be later than accessibleStart',
    ],
    ['credentials', { expirationDuration: 1.5 }, 'expirationDuration', 'must be a whole number'],
    ['credentials', { expirationDuration: 0 }, 'expirationDuration', 'must be a whole number'],
    ['credentials', { maximumIssuance: '5' }, 'maximumIssuance', 'must be a number'],
    ['credentials', { traction: {} }, 'traction', 'is not a field'],
    [
      'programs',
      { acceptedCredentials: [{ credentialId: 'a' }] },
      'acceptedCredentials[0].verificationConditions',
      'is missing',
    ],
    [
      'programs',
      { acceptedCredentials: ['a', 'a'].map((credentialId) => ({ credentialId, verificationConditions: [] })) },
      'acceptedCredentials',
      'one credential twice',
    ],
  ])('a body of %s with %j is refused: "%s" %s', (kind, change, field, words) => {
    const found = refusal(kind, { ...GOOD[kind], ...change });
    expect(found.field).toBe(field);
    expect(found.message).toContain(`"${field}" `);
    expect(found.message).toContain(words);
  });

  it('a checked body is the same when it is checked again', () => {
    const body = {
      ...GOOD.credentials,
      accessibleStart: '2026-01-01T01:00:00+01:00',
      createdAt: '2026-01-01T00:00:00Z',
    };
    const once = parseInput(PUT_BODIES.credentials, body);
    expect(parseInput(PUT_BODIES.credentials, once)).toEqual(once);
  });
});

describe('an import line', () => {
  it.each(['issuers', 'credentials', 'programs'] as const)(
    'an import line of %s may have counts from elsewhere',
    (kind) => {
      const traction = { holderCount: 1, issuanceCount: 2, verificationCount: 3 };
      expect(parseInput<unknown>(IMPORT_BODIES[kind], { ...GOOD[kind], traction })).toMatchObject({ traction });
      expect(refusal(kind, { ...GOOD[kind], traction: { holderCount: -1 } }, IMPORT_BODIES).field).toBe(
        'traction.holderCount',
      );
    },
  );

  it.each(CATALOG_KINDS)('an import line of %s may have the time of creation', (kind) => {
    expect(refusal(kind, { ...GOOD[kind], createdAt: '2020-01-01T00:00:00Z' }, IMPORT_BODIES).message).toBe('taken');
  });
});
