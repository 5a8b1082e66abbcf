// What a partner stored can be found: its own packages by holder, schema and its own ids, page by page, from an index.
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { encrypt } from '../support/holder-device.js';
import { registerPartner, type TestPartner } from '../support/partner.js';

const STORED = 23;
const PATH = '/v1/dstorage/vcs';

let gateway: TestGateway;
let partner: TestPartner;
let other: TestPartner;
let holders: { did: string; publicKey: string }[];
const commands: string[] = [];

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (command[commandName] === 'storedCredentials') commands.push(commandName);
  });
  const dataPoints = [{ name: 'note', type: 'string' }];
  for (const id of ['s1', 's2'])
    await gateway.admin('PUT', `/v1/admin/schemas/${id}`, { body: { title: id, description: '', dataPoints } });
  [partner, other] = [await registerPartner(gateway), await registerPartner(gateway)];
  const initialized = ['a', 'b'].map((name) =>
    partner.rest('POST', '/v1/auth/initialize-user', { email: `${name}@packages.example` }),
  );
  holders = (await Promise.all(initialized)).map(({ body }) => body);
  for (let at = 0; at < STORED; at += 1) await store(partner, at);
  await store(other, 0);
});
afterAll(() => gateway.close());

async function store(by: TestPartner, at: number): Promise<void> {
  const holder = holders[at % 2];
  const body = {
    holderDid: holder?.did,
    schemaId: at % 3 === 0 ? 's2' : 's1',
    expiresAt: null,
    ...encrypt(`package ${at}`, holder?.publicKey ?? ''),
    externalId: `external-${at}`,
  };
  expect((await by.rest('POST', PATH, body)).status).toBe(201);
}

/** All pages of a list, with what happens between two of them. */
async function pages(query: string, between: () => Promise<unknown> = async () => {}) {
  const ids: string[] = [];
  for (let after = ''; ; ) {
    const { body } = await partner.rest('GET', `${PATH}?limit=5${query}${after}`);
    ids.push(...body.items.map(({ externalId }: { externalId: string }) => externalId));
    if (!body.hasMore) return ids;
    after = `&after=${body.nextCursor}`;
    await between();
  }
}

const externalIds = (keep: (at: number) => boolean) =>
  Array.from({ length: STORED }, (_, at) => STORED - 1 - at)
    .filter(keep)
    .map((at) => `external-${at}`);

describe('GET /v1/dstorage/vcs', () => {
  it("GET /v1/dstorage/vcs returns the partner's own packages, newest first, without their ciphertext", async () => {
    const { body } = await partner.rest('GET', `${PATH}?limit=1`);
    expect(body).toEqual({
      items: [
        {
          id: expect.any(String),
          storagePath: expect.stringMatching(/^dstorage:\/\/vc\//),
          schemaId: 's1',
          proofType: 'BJJ_SIG_2021',
          holderDid: holders[0]?.did,
          externalId: `external-${STORED - 1}`,
          state: 'STORED',
          envelopeVersion: '1',
          receipt: expect.any(String),
          createdAt: expect.any(String),
          expiresAt: null,
        },
      ],
      hasMore: true,
      nextCursor: expect.any(String),
    });
    const one = await partner.rest('GET', `${PATH}/${body.items[0].id}`);
    expect(one.body).toEqual({ ...body.items[0], ...one.body });
    expect(one.body.data).toEqual(expect.any(String));
  });

  it('the pages have every package once, and none of another partner', async () => {
    expect(await pages('')).toEqual(externalIds(() => true));
    expect((await other.rest('GET', PATH)).body).toMatchObject({
      items: [{ externalId: 'external-0' }],
      hasMore: false,
    });
  });

  it('packages are filtered by holder, schema and external id', async () => {
    const did = encodeURIComponent(holders[1]?.did ?? '');
    expect(await pages(`&holderDid=${did}`)).toEqual(externalIds((at) => at % 2 === 1));
    expect(await pages('&schemaId=s2')).toEqual(externalIds((at) => at % 3 === 0));
    expect(await pages(`&holderDid=${did}&schemaId=s2`)).toEqual(externalIds((at) => at % 6 === 3));
    expect(await pages('&externalId=external-7')).toEqual(['external-7']);
    expect(await pages('&holderDid=did:core:id:testnet:nobody')).toEqual([]);
  });

  it('paging continues when the last package of a page is deleted', async () => {
    await store(partner, STORED);
    const { body } = await partner.rest('GET', `${PATH}?limit=1`);
    expect((await partner.rest('DELETE', `${PATH}/${body.items[0].id}`)).status).toBe(204);
    const next = await partner.rest('GET', `${PATH}?limit=1&after=${body.nextCursor}`);
    expect(next.body.items[0].externalId).toBe(`external-${STORED - 1}`);
  });

  it('GET /v1/dstorage/vcs is for partners with the scope issue', async () => {
    expect((await gateway.rest('GET', PATH)).status).toBe(401);
    const headers = { 'x-partner-auth': await partner.token({}, 'verify') };
    expect((await gateway.rest('GET', PATH, { headers })).status).toBe(403);
    expect((await partner.rest('GET', `${PATH}?after=x`)).body.message).toContain('"after"');
    expect((await partner.rest('GET', `${PATH}?holder=x`)).status).toBe(400);
  });
});

const QUERY = `query ($where: StoredPackageWhere, $first: Int, $after: String) {
  storedPackages(where: $where, first: $first, after: $after) {
    totalCount totalCountIsExact pageInfo { hasNextPage endCursor }
    nodes { id holderDid externalId schemaId state createdAt expiresAt receipt } } }`;
const ask = async (variables: object, by = partner) =>
  gateway.gql(QUERY, variables as Record<string, unknown>, { 'x-partner-auth': await by.token() });

describe('storedPackages', () => {
  it('storedPackages is the same list, by cursor', async () => {
    const { body } = await partner.rest('GET', `${PATH}?limit=3&schemaId=s1`);
    const { data } = await ask({
      where: { schemaId: { eq: 's1' }, holderDid: null },
      first: 3,
    });
    expect(data.storedPackages.pageInfo).toEqual({ hasNextPage: true, endCursor: body.nextCursor });
    expect(data.storedPackages.totalCount).toBe(externalIds((at) => at % 3 !== 0).length);
    for (const [at, node] of data.storedPackages.nodes.entries()) expect(body.items[at]).toMatchObject(node);
    const next = await ask({ where: { schemaId: { in: ['s1', 's2'] } }, first: 100, after: body.nextCursor });
    expect(next.data.storedPackages.nodes).toHaveLength(STORED - 4);
  });

  it('storedPackages needs a partner with the scope issue, and a valid page', async () => {
    expect((await gateway.gql(QUERY)).errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await ask({ first: 101 })).errors?.[0]?.extensions).toMatchObject({ field: 'first' });
    expect((await ask({ after: 'x' })).errors?.[0]?.extensions).toMatchObject({ field: 'after' });
    const filters = [{ externalId: { eq: null } }, { schemaId: { in: null } }];
    for (const where of filters) {
      const [field, operators] = Object.entries(where)[0] ?? [];
      const at = `where.${field}.${Object.keys(operators ?? {})[0]}`;
      expect((await ask({ where })).errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: at });
    }
  });
});

describe('A page', () => {
  it('a page of packages is one command, however long it is', async () => {
    for (const limit of [1, 10, 100]) {
      commands.length = 0;
      await partner.rest('GET', `${PATH}?limit=${limit}`);
      expect(commands).toEqual(['find']);
    }
  });

  it.each([
    ['all', {}],
    ['those of a holder', { holderDid: true }],
    ['those on a schema', { schemaId: 's1' }],
  ])('a page of %s reads an index, only as far as the page goes', async (_, chosen) => {
    const holder = 'holderDid' in chosen ? { holderDid: holders[0]?.did } : {};
    const explained = await gateway.app.connection
      .collection('storedCredentials')
      .find({ partnerId: partner.partnerId, ...chosen, ...holder })
      .sort({ createdAt: -1, _id: -1 })
      .limit(3)
      .explain('executionStats');
    expect(JSON.stringify(explained)).toContain('"IXSCAN"');
    expect(JSON.stringify(explained)).not.toContain('"SORT"');
    expect(explained.executionStats.totalDocsExamined).toBe(3);
  });
});
