// The catalog's lists and search over REST: records, orders, filters, pages (contract §1, §2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
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

describe('lists', () => {
  it('lists have current, pages, size, total and records', async () => {
    const page = await data('credentials?page=2&limit=2');
    expect(page).toEqual({ current: 2, pages: 2, size: 2, total: 3, records: [expect.any(Object)] });
  });

  it('lists of credentials have the detail without its lists', async () => {
    const { records } = await data('credentials');
    const { dataPoints: _, programs: __, ...detail } = await data('credentials/adult');
    expect(records[0]).toEqual(detail);
  });

  it('lists of programs have counts, the categories they accept, and their verifier', async () => {
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

  it('lists of schemas have the credential count, and the issuer count under both of its names', async () => {
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

  it('lists of issuers and verifiers have the detail without its list', async () => {
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
  ])('lists of %s have the requested order and filters', async (path, id, ids) => {
    const { records } = await data(path);
    expect(records.map((record: Record<string, string>) => record[id])).toEqual(ids);
  });

  it('lists that are read page by page show every entry once', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const { records } = await data(`credentials?limit=1&page=${page}&sortBy=created_at`);
      seen.push(...records.map(({ credentialId }: { credentialId: string }) => credentialId));
    }
    expect(seen.sort()).toEqual(['adult', 'bachelor', 'citizen']);
  });

  it('lists are empty beyond the last page', async () => {
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
    ['search?q=ab&limit=51', 'limit'],
    ['search', 'q'],
    ['search?q=', 'q'],
    [`search?q=${'x'.repeat(201)}`, 'q'],
  ])('a list with %s is refused with 400, naming %s', async (path, field) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body).toEqual({ error: 400, message: expect.stringContaining(field) });
  });

  it('pages beyond row 10,000 are refused with the advice to use cursors', async () => {
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

  it('GET /catalog/search groups results by credentials, issuers and programs, with relevance from 0 to 1', async () => {
    await expect.poll(() => data('search?q=north')).toMatchObject({ issuers: { total: 1 }, credentials: { total: 2 } });
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

  it('GET /catalog/search finds programs by name, with their verification count', async () => {
    await expect
      .poll(() => data('search?q=door'))
      .toMatchObject({
        programs: { items: [{ programId: 'door', name: 'Door', verificationCount: 7 }], total: 1 },
      });
  });
});
