// A response is refused as soon as it is too large, whichever executor and transport is used; it is never cut.
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { SseClient } from '../../events/sse-client.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const LIMIT = 1024 * 1024;
/** The bytes of each description in UTF-8; it has a third as many characters. */
const EACH = 60_000;
const REFUSAL = 'The response is larger than 1 MiB; ask for less.';

const network = makeNetwork(60, 9);
for (const row of network.programs) row.description = '語'.repeat(EACH / 3);
const fitting = Math.floor(LIMIT / EACH);
const page = (first: number, more = ''): string => `{ programs(first: ${first}) { nodes { description } } ${more} }`;

describe.each([
  ['compiled, from memory', {}],
  ['compiled, from the store', { ENTITY_CACHE_MB: '0' }],
  ['by graphql-js', { EXECUTOR: 'js' }],
])('A response of more bytes than allowed, %s', (_, settings: Record<string, string>) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { MAX_RESPONSE_MB: '1', RESPONSE_CACHE_MB: '0', ...settings } });
    await writeNetwork(gateway.app.connection, network);
  });
  afterAll(() => gateway.close());

  it('a response that is too large is refused over HTTP, each time, and the largest allowed one is not', async () => {
    for (let request = 0; request < 4; request += 1) {
      const large = await gateway.gql(page(fitting + 1));
      expect(large.status).toBe(400);
      expect(large.data ?? null).toBeNull();
      expect(large.errors).toMatchObject([{ message: REFUSAL, extensions: { code: 'QUERY_TOO_LARGE' } }]);
      const small = await gateway.gql(page(fitting));
      expect(small.errors).toBeUndefined();
      expect(small.data.programs.nodes).toHaveLength(fitting);
    }
  });

  it('a response that is too large is refused also if a part of it fails', async () => {
    const { data, errors } = await gateway.gql(page(fitting + 1, 'bad: programs(after: "nowhere") { totalCount }'));
    expect(data ?? null).toBeNull();
    expect(errors).toHaveLength(1);
  });

  it('a response that is too large is refused over sockets and event streams, which stay open', async () => {
    const client = createClient({ url: `${gateway.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const ask = async (query: string) => (await client.iterate({ query }).next()).value;
    expect(await ask(page(fitting + 1))).toMatchObject({ errors: [{ message: REFUSAL }] });
    expect((await ask(page(fitting))).data.programs.nodes).toHaveLength(fitting);
    await client.dispose();
    const stream = await SseClient.open(`${gateway.url}/graphql`, {}, { query: page(fitting + 1) });
    const [next] = await stream.count(1);
    expect(next?.data).toMatchObject({ errors: [{ message: REFUSAL, extensions: { code: 'QUERY_TOO_LARGE' } }] });
    await stream.ended;
  });
});

describe('An answer that is too large', () => {
  it('a mutation whose response is too large is refused although it has taken place', async () => {
    const gateway = await startGateway({ env: { MAX_RESPONSE_MB: '1' } });
    await writeNetwork(gateway.app.connection, network);
    const isWhole = (id: string): boolean => network.verifiers.some(({ _id, live }) => _id === id && live);
    const { verifierId = '' } = network.programs.find((row) => row.live && isWhole(row.verifierId)) ?? {};
    const lists = Array.from(
      { length: fitting + 1 },
      (_each, at) => `a${at}: programs(first: 1) { nodes { description } }`,
    );
    const mutation = `mutation ($input: PutVerifierInput!) { putVerifier(input: $input) { verifier { name ${lists.join(' ')} } } }`;
    const input = { verifierId, name: 'Renamed', verifierDid: 'did:web:renamed.example' };
    const { data, errors } = await gateway.gql(mutation, { input }, { 'x-admin-api-key': gateway.operatorKey });
    expect(data ?? null).toBeNull();
    expect(errors).toMatchObject([{ message: REFUSAL, extensions: { code: 'QUERY_TOO_LARGE' } }]);
    const written = await gateway.rest('GET', `/v1/catalog/verifiers/${encodeURIComponent(verifierId)}`);
    expect(written.body.data.name).toBe('Renamed');
    await gateway.close();
  });
});

describe('A REST answer of more bytes than allowed', () => {
  it('a REST response that is too large is refused, cached or not', async () => {
    const gateway = await startGateway({ env: { MAX_RESPONSE_MB: '1' } });
    await writeNetwork(gateway.app.connection, network);
    for (let request = 0; request < 2; request += 1) {
      const large = await gateway.rest('GET', '/v1/catalog/programs?limit=100');
      expect(large).toMatchObject({ status: 400, body: { error: 400, message: REFUSAL } });
    }
    expect((await gateway.rest('GET', '/v1/catalog/programs?limit=5')).status).toBe(200);
    await gateway.close();
  });
});
