// Search: results by kind, best first; beginnings of words match, so do words with one wrong letter, and results are
// current.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSample } from '../../../src/catalog/sample/sample.js';
import { IndexSet } from '../../../src/catalog/search/index-set.js';
import { SEARCH_KINDS } from '../../../src/catalog/search/protocol.js';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

interface Found {
  credentials: { total: number; items: { credentialId: string }[] };
  issuers: { total: number };
  programs: { total: number };
}

const ALL = { kinds: SEARCH_KINDS, offset: 0, limit: 10 };

describe('the search index', () => {
  const index = new IndexSet();
  index.put('credentials', [
    {
      id: 'degree',
      name: 'University degree',
      category: 'Education',
      issuer: 'Lumen University',
      schema: 'Academic degree',
    },
    {
      id: 'licence',
      name: 'Driving licence',
      category: 'Licence',
      issuer: 'Civic Registry',
      schema: 'Driving licence',
    },
    { id: 'lumen-id', name: 'Staff card', category: 'Employment', issuer: 'Lumen University', schema: 'Employment' },
  ]);
  index.put('issuers', [{ id: 'lumen', name: 'Lumen University' }]);
  const ids = (query: string) => index.search({ query, ...ALL }).credentials?.items.map(({ id }) => id);

  it.each([
    ['a whole word', 'degree', ['degree']],
    ['the beginning of a word', 'lic', ['licence']],
    ['one wrong letter', 'degrea', ['degree']],
    ['one letter missing', 'licnce', ['licence']],
    ['two letters swapped for one', 'drivxng', ['licence']],
    ['the issuer', 'lumen', ['degree', 'lumen-id']],
    ['every word must match', 'lumen staff', ['lumen-id']],
    ['some words when no entry has all', 'driving submarine', ['licence']],
    ['nothing', 'submarine', []],
    ['two wrong letters', 'dagrae', []],
    ['punctuation alone', '!?', []],
    ['case and accents', 'DÉGREE', ['degree']],
  ])('the search index finds entries: %s', (_name, query, expected) =>
    expect(ids(query)?.sort()).toEqual([...expected].sort()),
  );

  it('the search index returns the relevance of each match, from 1 downwards, over all groups', () => {
    const { credentials, issuers } = index.search({ query: 'lumen university', ...ALL });
    const relevances = [...(credentials?.items ?? []), ...(issuers?.items ?? [])].map(({ relevance }) => relevance);
    expect(Math.max(...relevances)).toBe(1);
    expect(Math.min(...relevances)).toBeGreaterThan(0);
  });

  it('the search index uses the 50 nearest words with a prefix, however many there are', () => {
    const letter = (at: number) => String.fromCharCode(97 + (at % 26));
    const names = Array.from({ length: 300 }, (_, at) => `qu${letter(at / 26)}${letter(at)}${at < 60 ? '' : 'long'}`);
    index.put(
      'issuers',
      names.map((name) => ({ id: name, name })),
    );
    const found = index.search({ query: 'qu', kinds: ['issuers'], offset: 0, limit: 100 }).issuers;
    expect(found?.total).toBe(50);
    expect(found?.items.every(({ id }) => id.length === 4)).toBe(true);
    index.remove('issuers', names);
  });

  it('the search index forgets removed entries and finds those that are added again', () => {
    index.put('credentials', [{ id: 'temporary', name: 'Zeppelin pilot' }]);
    expect(ids('zeppelin')).toEqual(['temporary']);
    index.put('credentials', [{ id: 'temporary', name: 'Balloon pilot' }]);
    expect(ids('zeppelin')).toEqual([]);
    index.remove('credentials', ['temporary']);
    expect(ids('balloon')).toEqual([]);
  });
});

describe('search over a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
    await loadSample(gateway.app.services.catalogAdmin);
    // Waits for each kind separately.
    await untilFound('/v1/catalog/search?q=lumen', ({ credentials }) => credentials.total === 5);
    await untilFound('/v1/catalog/search?q=lumen', ({ issuers }) => issuers.total > 0);
    for (const id of ['mortgage', 'wine'])
      await untilFound(`/v1/catalog/search?q=${id}`, ({ programs }) => programs.total > 0);
  });
  afterAll(() => gateway.close());

  /** Repeats a search until the response is as expected, because the index follows the store with a delay. */
  async function untilFound(path: string, holds: (data: Found) => boolean): Promise<void> {
    await until(async () => holds((await gateway.rest('GET', path)).body.data));
  }

  it("search returns the contract's groups in REST", async () => {
    await untilFound('/v1/catalog/search?q=degree', ({ credentials }) => credentials.items.length > 0);
    const { body } = await gateway.rest('GET', '/v1/catalog/search?q=lumen&limit=3');
    expect(body.code).toBe(80_000_000);
    expect(body.data.meta).toEqual({
      query: 'lumen',
      totalResults: body.data.credentials.total + body.data.issuers.total + body.data.programs.total,
    });
    expect(body.data.issuers.items[0]).toEqual({
      issuerId: 'lumen-university',
      name: 'Lumen University',
      issuerDid: expect.stringMatching(/^did:/),
      relevance: expect.any(Number),
    });
    expect(body.data.credentials.items).toHaveLength(3);
    expect(body.data.credentials.items[0]).toEqual({
      credentialId: expect.any(String),
      name: expect.any(String),
      category: expect.any(String),
      relevance: expect.any(Number),
      issuer: { issuerId: 'lumen-university', name: 'Lumen University' },
    });
    const programs = await gateway.rest('GET', '/v1/catalog/search?q=mortgage');
    expect(programs.body.data.programs.items[0]).toEqual({
      programId: 'mortgage',
      name: 'Mortgage',
      verificationCount: 6044,
      relevance: 1,
    });
  });

  it('search pages within each group without overlap', async () => {
    const page = async (number: number) =>
      (await gateway.rest('GET', `/v1/catalog/search?q=lumen&limit=2&page=${number}`)).body.data.credentials.items.map(
        (item: { credentialId: string }) => item.credentialId,
      );
    const seen = [...(await page(1)), ...(await page(2)), ...(await page(3))];
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(5);
  });

  it('search results have their relations in GraphQL', async () => {
    const { data, errors } = await gateway.gql(
      '{ search(query: "wine", types: [PROGRAM], first: 2) { totalResults programs { items { relevance program { name verifier { name } } } } credentials { total } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.search.programs.items[0].program).toEqual({
      name: expect.stringMatching(/wine/i),
      verifier: { name: 'Corner Cellar Wines' },
    });
    expect(data.search.credentials.total).toBe(0);
  });

  it("search finds later writes, by a new name and by the issuer's, and not retired entries", async () => {
    const body = { name: 'Xylophone teacher', category: 'Music', issuerId: 'lumen-university', schemaId: 'degree' };
    await gateway.admin('PUT', '/v1/admin/credentials/xylophone', { body });
    await untilFound('/v1/catalog/search?q=xylophone', ({ credentials }) => credentials.items.length === 1);
    await gateway.admin('PUT', '/v1/admin/issuers/lumen-university', {
      body: { name: 'Quasar University', issuerDid: 'did:web:lumen-university.example', issuerFrom: 'education' },
    });
    await untilFound('/v1/catalog/search?q=quasar', ({ credentials }) =>
      credentials.items.some(({ credentialId }) => credentialId === 'xylophone'),
    );
    await gateway.admin('DELETE', '/v1/admin/credentials/xylophone');
    await untilFound('/v1/catalog/search?q=xylophone', ({ credentials }) => credentials.items.length === 0);
  });

  it.each(['', '?q=', `?q=${'x'.repeat(201)}`, '?q=ab&limit=51', '?q=ab&limit=0', '?q=ab&page=0', '?q=ab&page=x'])(
    'search refuses %s as bad input',
    async (query) => {
      const { status, body } = await gateway.rest('GET', `/v1/catalog/search${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: 400, message: expect.any(String) });
    },
  );
});
