// A nested query needs a fixed number of database commands: as many for a hundred rows as for one, and none when its rows are cached
// (entity-cache.test.ts).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../support/request-commands.js';
import { makeNetwork, type Network, writeNetwork } from './network.js';

let gateway: TestGateway;
let network: Network;
let commands: RequestCommands;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true, env: { ENTITY_CACHE_MB: '0' } });
  network = makeNetwork(500, 3);
  const models = await writeNetwork(gateway.app.connection, network);
  const collections = new Set(Object.values(models).map(({ collection }) => collection.name));
  commands = requestCommandsOf(gateway, (collection) => collections.has(collection));
});
afterAll(() => gateway.close());

/** How many commands a query needs. */
async function cost(query: string, variables: Record<string, unknown>): Promise<string[]> {
  const { result, commands: sent } = await commands.of(() => gateway.gql(query, variables));
  expect(result.errors).toBeUndefined();
  return sent.sort();
}

/**
 * Live programs that accept the credential together with credentials of other issuers and schemas, so that nothing on
 * the way is cached.
 */
function wellConnected({ credentials, programs }: Network, id: string): boolean {
  const byId = new Map(credentials.filter((row) => row.live).map((row) => [row._id, row]));
  const mine = byId.get(id);
  return programs.some(({ live, acceptedCredentials }) => {
    const accepted = acceptedCredentials.map(({ credentialId }) => byId.get(credentialId));
    const foreign = accepted.some((row) => row && row.issuerId !== mine?.issuerId && row.schemaId !== mine?.schemaId);
    return live && accepted.includes(mine) && foreign;
  });
}

const NESTED = `query ($ids: [String!]) {
  credentials(first: 100, where: { credentialId: { in: $ids } }) { nodes {
    name dataPoints { name }
    issuer { name credentials(first: 2) { totalCount nodes { name } } }
    schema { title issuers(first: 3) { totalCount nodes { name } } }
    programs(first: 3) { totalCount nodes {
      verifier { name programs(first: 2) { nodes { name } } }
      acceptedCredentials { conditions { field } credential { name issuer { name } schema { title } } }
    } }
  } }
}`;

/** Its commands, and how many they are if nothing is joined. */
const LEVELS = [
  'aggregate credentials',
  'aggregate issuers',
  'aggregate schemas',
  'aggregate verifiers',
  'find credentials',
  'find issuers',
  'find programs',
  'find schemaVersions',
  'find schemas',
  'find verifiers',
];
const MOST = 14;

it('a query four relations deep sends the same commands for 1, 10 and 100 rows', async () => {
  const ids = network.credentials.filter((row) => row.live && wellConnected(network, row._id)).map((row) => row._id);
  const [one, ten, hundred] = [1, 10, 100].map((rows) => ids.slice(0, rows));
  expect(hundred).toHaveLength(100);
  for (const rows of [one, ten, hundred]) {
    const sent = await cost(NESTED, { ids: rows });
    // Issuers and schemas of two levels are read by one command if they are needed in one turn.
    expect([...new Set(sent)]).toEqual(LEVELS);
    expect(sent.length).toBeLessThanOrEqual(MOST);
  }
});

it('what wallets can be asked of programs needs no command more than what can be proven of them', async () => {
  const provable = 'provable unprovable { why }';
  const programs = (fields: string) => `query ($first: Int) { programs(first: $first) { nodes { ${fields} } } }`;
  const both = programs(`askable unaskable { why } ${provable}`);
  const commandsOfOne = await cost(both, { first: 1 });
  expect(commandsOfOne).toEqual(await cost(programs(provable), { first: 1 }));
  expect(await cost(both, { first: 100 })).toEqual(commandsOfOne);
  expect(await cost(programs('askable'), { first: 100 })).toEqual(commandsOfOne);
});

it('the types of credentials for wallets need no commands of their own', async () => {
  expect(await cost('{ credentials(first: 100) { nodes { name vct } } }', {})).toEqual(['find credentials']);
});

it('totals of relations need no commands of their own', async () => {
  const without = await cost('{ issuers(first: 20) { nodes { credentials { nodes { name } } } } }', {});
  expect(await cost('{ issuers(first: 20) { nodes { credentials { totalCount nodes { name } } } } }', {})).toEqual(
    without,
  );
});

it('a list is counted only if its total is selected', async () => {
  expect(await cost('{ credentials { nodes { name } } }', {})).toEqual(['find credentials']);
  expect(await cost('{ credentials { nodes { name } totalCount totalCountIsExact } }', {})).toHaveLength(2);
});

it('a credential that is selected twenty times is read once', async () => {
  const fields = Array.from(
    { length: 20 },
    (_, at) => `c${at}: credential(credentialId: "credential-00000${at % 3}") { name }`,
  );
  expect(await cost(`{ ${fields.join(' ')} }`, {})).toEqual(['find credentials']);
});

it('twenty series with one range are read with one command', async () => {
  const series = 'series(from: "2026-01-01", to: "2026-06-30", bucket: MONTH) { from holders }';
  const query = (first: number) => `{ credentials(first: ${first}) { nodes { traction { ${series} } } } }`;
  expect(await cost(query(1), {})).toEqual(['find credentials', 'find tractionRuns']);
  expect(await cost(query(20), {})).toEqual(['find credentials', 'find tractionRuns']);
});
