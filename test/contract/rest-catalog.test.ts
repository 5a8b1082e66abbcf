// The catalog over REST, field by field as the contract's tables have it (contract-source "Resources", "Endpoints", "Errors"; contract §2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, POINTS, SMALL_CATALOG } from '../catalog/admin-fixture.js';
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
  ])('of %s comes in the envelope: code, msg, data, timestamp', async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({ code: 80000000, msg: 'success', data: expect.any(Object), timestamp: expect.any(Number) });
    expect(Number.isInteger(body.timestamp)).toBe(true);
  });

  it('needs no token, and ignores one that is shown', async () => {
    expect((await get('credentials/adult', { 'x-partner-auth': 'nonsense' })).status).toBe(200);
  });
});

describe('an unknown id', () => {
  it.each(['credentials', 'programs', 'schemas', 'issuers', 'verifiers'])(
    'of %s answers 404 and the error object, which says what was not found',
    async (kind) => {
      const { status, body } = await get(`${kind}/nothing`);
      expect(status).toBe(404);
      expect(body).toEqual({
        error: 404,
        message: expect.stringContaining(`${kind.slice(0, -1)} nothing was not found`),
      });
    },
  );

  it('is data, whatever it spells', async () => {
    for (const id of ['%24where', '%7B%22%24gt%22%3A%22%22%7D', '..%2F..%2Fadmin', '__proto__', 'constructor', '%00']) {
      expect((await get(`credentials/${id}`)).status).toBe(404);
    }
  });
});

describe('GET /catalog/credentials/{id}', () => {
  it('has the fields of the credential detail, its availability window, and nothing else', async () => {
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

  it('has null for every part of the window that is not set', async () => {
    const window = { accessibleStart: null, accessibleEnd: null, expirationDuration: null };
    expect(await data('credentials/citizen')).toMatchObject({ ...window, firstIssuedAt: null, lastIssuedAt: null });
  });
});

describe('GET /catalog/programs/{id}', () => {
  it('has the fields of the program detail and nothing else', async () => {
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
  it('of a schema: its data points and every credential built on it, with issuer and traction, most held first', async () => {
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

  it('of an issuer: its traction over all credentials, and its credentials', async () => {
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

  it('of a verifier: its programs', async () => {
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

describe('lists', () => {
  it('have current, pages, size, total and records', async () => {
    const page = await data('credentials?page=2&limit=2');
    expect(page).toEqual({ current: 2, pages: 2, size: 2, total: 3, records: [expect.any(Object)] });
  });

  it('of credentials have the detail without its lists', async () => {
    const { records } = await data('credentials');
    const { dataPoints: _, programs: __, ...detail } = await data('credentials/adult');
    expect(records[0]).toEqual(detail);
  });

  it('of programs have counts, the categories they accept, and their verifier', async () => {
    const { records } = await data('programs?sortBy=verification_count');
    expect(records[0]).toEqual({
      programId: 'door',
      name: 'Door',
      description: 'Lets adults in.',
      verificationCount: 7,
      credentialCount: 2,
      acceptedCredentialTypes: ['identity', 'education'],
      verifierInfo: GATE,
      pricingModel: 'free',
      createdAt: '2025-06-06T06:06:06.000Z',
    });
  });

  it('of schemas have the credential count, and the issuer count under both of its names', async () => {
    const { records } = await data('schemas?sort=popularity');
    expect(records).toEqual([
      { ...PERSON, credentialCount: 2, issuerCount: 2, providerCount: 2 },
      {
        schemaId: 'degree',
        title: 'Degree',
        description: 'What was learnt.',
        credentialCount: 1,
        issuerCount: 1,
        providerCount: 1,
      },
    ]);
  });

  it('of issuers and verifiers have the detail without its list', async () => {
    expect((await data('issuers?sortBy=name')).records).toEqual([
      { ...NORTH, traction: { holderCount: 30, issuanceCount: 40, verificationCount: 50 }, createdAt: ISO },
      { ...SOUTH, traction: { holderCount: 20, issuanceCount: 21, verificationCount: 22 }, createdAt: ISO },
    ]);
    expect((await data('verifiers')).records).toEqual([{ ...GATE, createdAt: ISO }]);
  });

  it.each([
    ['credentials', 'credentialId', ['adult', 'citizen', 'bachelor']],
    ['credentials?sortBy=popularity&sortOrder=ASC', 'credentialId', ['bachelor', 'citizen', 'adult']],
    ['credentials?sortBy=name', 'credentialId', ['adult', 'bachelor', 'citizen']],
    ['credentials?sortBy=name&sortOrder=DESC', 'credentialId', ['citizen', 'bachelor', 'adult']],
    ['credentials?sortBy=created_at&sortOrder=ASC&limit=1', 'credentialId', ['adult']],
    ['credentials?category=identity', 'credentialId', ['adult', 'citizen']],
    ['credentials?issuerId=north', 'credentialId', ['adult', 'bachelor']],
    ['credentials?schemaId=person&sortBy=name&sortOrder=DESC', 'credentialId', ['citizen', 'adult']],
    ['credentials?category=identity&issuerId=south', 'credentialId', ['citizen']],
    ['credentials?category=%7B%22%24ne%22%3A1%7D', 'credentialId', []],
    ['programs', 'programId', ['desk', 'door']],
    ['programs?sortBy=credential_count', 'programId', ['door', 'desk']],
    ['programs?sortBy=name', 'programId', ['desk', 'door']],
    ['programs?verifierId=gate&sortBy=verification_count', 'programId', ['door', 'desk']],
    ['programs?credentialId=citizen', 'programId', ['desk']],
    ['schemas?sort=title', 'schemaId', ['degree', 'person']],
    ['schemas?sortBy=credential_count&sortOrder=ASC', 'schemaId', ['degree', 'person']],
    ['schemas?sortBy=provider_count', 'schemaId', ['person', 'degree']],
    ['issuers?sortBy=popularity', 'issuerId', ['north', 'south']],
    ['verifiers?sortBy=created_at', 'verifierId', ['gate']],
  ])('%s come in the order and with the filters asked for', async (path, id, ids) => {
    const { records } = await data(path);
    expect(records.map((record: Record<string, string>) => record[id])).toEqual(ids);
  });

  it('walked page by page show every entry once', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const { records } = await data(`credentials?limit=1&page=${page}&sortBy=created_at`);
      seen.push(...records.map(({ credentialId }: { credentialId: string }) => credentialId));
    }
    expect(seen.sort()).toEqual(['adult', 'bachelor', 'citizen']);
  });

  it('are empty beyond the last page', async () => {
    expect(await data('credentials?page=9')).toEqual({ current: 9, pages: 1, size: 10, total: 3, records: [] });
  });

  it.each([
    ['credentials?limit=0', 'limit'],
    ['credentials?limit=101', 'limit'],
    ['credentials?limit=ten', 'limit'],
    ['credentials?limit=1e1', 'limit'],
    ['credentials?page=0', 'page'],
    ['credentials?page=-1', 'page'],
    ['credentials?page=1.5', 'page'],
    ['credentials?page=1&page=2', 'page'],
    ['credentials?sortBy=issuerId', 'sortBy'],
    ['schemas?sort=shoe_size', 'sort'],
    ['programs?sortOrder=sideways', 'sortOrder'],
    ['search?q=a&limit=51', 'limit'],
    ['search', 'q'],
    ['search?q=', 'q'],
    [`search?q=${'x'.repeat(201)}`, 'q'],
  ])('%s is refused with 400, naming %s', async (path, field) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body).toEqual({ error: 400, message: expect.stringContaining(field) });
  });

  it('beyond row 10,000 are refused with the advice to use cursors', async () => {
    const { status, body } = await get('credentials?page=101&limit=100');
    expect(status).toBe(400);
    expect(body.message).toContain('cursors');
  });
});

describe('GET /catalog/search', () => {
  const SHAPE = {
    credentials: { items: expect.any(Array), total: expect.any(Number) },
    issuers: { items: expect.any(Array), total: expect.any(Number) },
    programs: { items: expect.any(Array), total: expect.any(Number) },
    meta: { query: 'north', totalResults: expect.any(Number) },
  };

  it('groups what it finds over credentials, issuers and programs, with relevance from 0 to 1', async () => {
    await expect.poll(() => data('search?q=north'), { timeout: 10_000 }).toMatchObject({ issuers: { total: 1 } });
    const found = await data('search?q=north');
    expect(found).toEqual(SHAPE);
    const relevance = expect.any(Number);
    expect(found.issuers.items).toEqual([
      { issuerId: 'north', name: 'North University', issuerDid: 'did:web:north.example', relevance },
    ]);
    expect(found.credentials.items).toContainEqual({
      credentialId: 'adult',
      name: 'Adult',
      category: 'identity',
      relevance,
      issuer: { issuerId: 'north', name: 'North University' },
    });
    const all = [...found.credentials.items, ...found.issuers.items, ...found.programs.items];
    for (const item of all) expect(item.relevance).toSatisfy((value: number) => value > 0 && value <= 1);
    expect(found.meta.totalResults).toBe(all.length);
  });

  it('finds programs by name, with their verification count', async () => {
    await expect
      .poll(() => data('search?q=door'), { timeout: 10_000 })
      .toMatchObject({
        programs: { items: [{ programId: 'door', name: 'Door', verificationCount: 7 }], total: 1 },
      });
  });
});

describe('the rest of the network', () => {
  it('answers 405 with Allow for other methods on catalog paths', async () => {
    const { status, headers, body } = await gateway.rest('POST', '/v1/catalog/credentials', { body: {} });
    expect(status).toBe(405);
    expect(headers.get('allow')).toContain('GET');
    expect(body).toEqual({ error: 405, message: expect.any(String) });
  });

  it('has no catalog in production, unless it is switched on', async () => {
    const production = {
      NETWORK_ENV: 'production',
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
    } finally {
      await closed.close();
      await open.close();
    }
  });
});
