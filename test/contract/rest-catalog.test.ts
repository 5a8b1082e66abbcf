// The catalog over REST, field by field as the contract's tables have it (contract-source "Resources", "Endpoints", "Errors"; contract §2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, POINTS, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
import { type RestAnswer, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
const get = (path: string, headers?: Record<string, string>): Promise<RestAnswer> =>
  gateway.rest('GET', `/v1/catalog/${path}`, { headers });
const data = async (path: string) => (await get(path)).body.data;

beforeAll(async () => {
  gateway = await startGateway();
  const answers = await importInto(gateway, SMALL_CATALOG);
  expect(answers.map(({ result }) => result)).toEqual(SMALL_CATALOG.map(() => 'created'));
});
afterAll(() => gateway?.close());

const ISO = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const NORTH = { issuerId: 'north', name: 'North University', issuerDid: 'did:web:north.example', issuerFrom: 'EU' };
const SOUTH = { issuerId: 'south', name: 'South Registry', issuerDid: 'did:web:south.example', issuerFrom: 'US' };
const GATE = { verifierId: 'gate', name: 'Gate', verifierDid: 'did:web:gate.example' };
const PERSON = { schemaId: 'person', title: 'Person', description: 'Who somebody is.' };
const ADULT_TRACTION = { holderCount: 30, issuanceCount: 40, verificationCount: 50, demandCount: 1 };

describe('every catalog answer', () => {
  it.each([
    'credentials',
    'credentials/adult',
    'programs',
    'programs/door',
    'schemas',
    'schemas/person',
    'issuers',
    'issuers/north',
    'verifiers',
    'verifiers/gate',
    'search?q=adult',
  ])('a catalog response of %s has the envelope: code, msg, data, timestamp', async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({ code: 80000000, msg: 'success', data: expect.any(Object), timestamp: expect.any(Number) });
    expect(Number.isInteger(body.timestamp)).toBe(true);
  });

  it('the catalog needs no token, and ignores one', async () => {
    expect((await get('credentials/adult', { 'x-partner-auth': 'nonsense' })).status).toBe(200);
  });
});

describe('the order of a list', () => {
  it('the order of a list has two names, which must not contradict each other', async () => {
    const { status, body } = await get('credentials?sort=name&sortBy=popularity');
    expect(status).toBe(400);
    expect(body.message).toBe('"sort" and "sortBy" are the same parameter, and differ here; give one of them.');
    expect((await get('credentials?sort=name&sortBy=name')).status).toBe(200);
  });
});

describe('an unknown id', () => {
  it.each(['credentials', 'programs', 'schemas', 'issuers', 'verifiers'])(
    'an unknown id of %s answers 404 and the error object, which says what was not found',
    async (kind) => {
      const { status, body } = await get(`${kind}/nothing`);
      expect(status).toBe(404);
      expect(body).toEqual({
        error: 404,
        message: expect.stringContaining(`${kind.slice(0, -1)} nothing was not found`),
      });
    },
  );

  it('an unknown id is data, whatever characters it has', async () => {
    for (const id of ['%24where', '%7B%22%24gt%22%3A%22%22%7D', '..%2F..%2Fadmin', '__proto__', 'constructor', '%00']) {
      expect((await get(`credentials/${id}`)).status).toBe(404);
    }
  });
});

describe('GET /catalog/credentials/{id}', () => {
  it('GET /catalog/credentials/{id} has the fields of the credential detail, its availability window, and nothing else', async () => {
    expect(await data('credentials/adult')).toEqual({
      credentialId: 'adult',
      name: 'Adult',
      category: 'identity',
      issuer: NORTH,
      dataPoints: POINTS,
      schema: PERSON,
      traction: ADULT_TRACTION,
      programs: [{ programId: 'door', name: 'Door', verifierName: 'Gate', verificationCount: 7 }],
      createdAt: '2025-05-05T05:05:05.000Z',
      accessibleStart: '2026-01-01T00:00:00.000Z',
      accessibleEnd: '2036-01-01T00:00:00.000Z',
      expirationDuration: 86_400,
      firstIssuedAt: null,
      lastIssuedAt: null,
    });
  });

  it('GET /catalog/credentials/{id} has null for every part of the window that is not set', async () => {
    const window = { accessibleStart: null, accessibleEnd: null, expirationDuration: null };
    expect(await data('credentials/citizen')).toMatchObject({ ...window, firstIssuedAt: null, lastIssuedAt: null });
  });
});

describe('GET /catalog/programs/{id}', () => {
  it('GET /catalog/programs/{id} has the fields of the program detail and nothing else', async () => {
    expect(await data('programs/door')).toEqual({
      programId: 'door',
      name: 'Door',
      description: 'Lets adults in.',
      acceptedCredentials: [
        {
          credentialId: 'adult',
          name: 'Adult',
          category: 'identity',
          holderCount: 30,
          issuanceCount: 40,
          verificationConditions: ['age >= 18', 'address.country in ["CH", "DE"]'],
        },
        {
          credentialId: 'bachelor',
          name: 'Bachelor',
          category: 'education',
          holderCount: 0,
          issuanceCount: 0,
          verificationConditions: [],
        },
      ],
      verifierInfo: GATE,
      traction: { verificationCount: 7 },
      pricingModel: 'free',
      createdAt: '2025-06-06T06:06:06.000Z',
    });
  });
});

describe('the other details', () => {
  it('the detail of a schema has its data points and every credential built on it, with issuer and traction, most held first', async () => {
    expect(await data('schemas/person')).toEqual({
      ...PERSON,
      dataPoints: POINTS,
      credentials: [
        {
          credentialId: 'adult',
          name: 'Adult',
          category: 'identity',
          issuer: NORTH,
          traction: ADULT_TRACTION,
          createdAt: '2025-05-05T05:05:05.000Z',
        },
        {
          credentialId: 'citizen',
          name: 'Citizen',
          category: 'identity',
          issuer: SOUTH,
          traction: { holderCount: 20, issuanceCount: 21, verificationCount: 22, demandCount: 1 },
          createdAt: ISO,
        },
      ],
      createdAt: ISO,
    });
  });

  it('the detail of an issuer has its traction over all credentials, and its credentials', async () => {
    expect(await data('issuers/north')).toEqual({
      ...NORTH,
      traction: { holderCount: 30, issuanceCount: 40, verificationCount: 50 },
      credentials: [
        { credentialId: 'adult', name: 'Adult', category: 'identity' },
        { credentialId: 'bachelor', name: 'Bachelor', category: 'education' },
      ],
      createdAt: ISO,
    });
  });

  it('the detail of a verifier has its programs', async () => {
    expect(await data('verifiers/gate')).toEqual({
      ...GATE,
      programs: [
        { programId: 'door', name: 'Door', verificationCount: 7 },
        { programId: 'desk', name: 'Desk', verificationCount: 0 },
      ],
      createdAt: ISO,
    });
  });
});

describe('the rest of the network', () => {
  it('catalog paths answer other methods with 405 and Allow', async () => {
    const { status, headers, body } = await gateway.rest('POST', '/v1/catalog/credentials', { body: {} });
    expect(status).toBe(405);
    expect(headers.get('allow')).toContain('GET');
    expect(body).toEqual({ error: 405, message: expect.any(String) });
  });

  it('there is no catalog in production, unless it is switched on', async () => {
    const production = {
      NETWORK_ENV: 'production',
      HOLDER_DID_TYPE: '03d1',
      KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
      PUBLIC_URL: 'https://gateway.example',
    };
    const closed = await startGateway({ env: production });
    const open = await startGateway({ env: { ...production, CATALOG_ENABLED: 'true' } });
    try {
      const { status, body } = await closed.rest('GET', '/v1/catalog/credentials');
      expect(status).toBe(404);
      expect(body).toEqual({ error: 404, message: expect.stringContaining('sandbox') });
      expect((await open.rest('GET', '/v1/catalog/credentials')).status).toBe(200);
      for (const field of ['catalogChanged { id }', 'tractionChanged(credentialId: "x") { id }']) {
        const answer = await fetch(`${closed.url}/graphql`, {
          method: 'POST',
          headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
          body: JSON.stringify({ query: `subscription { ${field} }` }),
        });
        expect(await answer.text(), field).toContain('"code":"CATALOG_DISABLED"');
      }
    } finally {
      await closed.close();
      await open.close();
    }
  });
});
