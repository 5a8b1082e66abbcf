// Rows that are not cached are read together with the lists of theirs that the document asks for: by one command, and nothing else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';
import { makeNetwork, type Network, writeNetwork } from '../network.js';

const CATALOG = /^(issuers|schemas|schemaIssuers|credentials|programs|verifiers)$/;

describe('Rows that are not cached', () => {
  let uncached: TestGateway;
  let gateway: TestGateway;
  let network: Network;
  let commands: RequestCommands;

  beforeAll(async () => {
    uncached = await startGateway({ env: { RESPONSE_CACHE_MB: '0', ENTITY_CACHE_MB: '0' } });
    network = makeNetwork(300, 7);
    await writeNetwork(uncached.app.connection, network);
    const env = { RESPONSE_CACHE_MB: '0', MONGODB_URI: databaseUri(uncached.app.connection.name) };
    gateway = await startGateway({ monitorCommands: true, env });
    commands = requestCommandsOf(gateway, (collection) => CATALOG.test(collection));
  });
  afterAll(async () => {
    await gateway.close();
    await uncached.close();
  });

  /** A gateway uses no cache while its change stream is a second behind, as it is on a busy machine. */
  const trusted = (): Promise<void> => eventually(() => expect(gateway.app.services.catalogChanges.trusted).toBe(true));

  /** Live credentials with programs, which no other test asks for. */
  let used = 0;
  const someIds = (): string[] => {
    const ids = network.credentials.filter(({ live, demandCount }) => live && demandCount > 0).map(({ _id }) => _id);
    expect(ids.length).toBeGreaterThan(used + 5);
    used += 5;
    return ids.slice(used - 5, used);
  };

  /** The commands of a query, whose result is the same as without a cache, also when it is repeated. */
  async function commandsOf(query: string, variables: object): Promise<string[]> {
    const expected = await uncached.gql(query, variables as Record<string, unknown>);
    expect(expected.errors).toBeUndefined();
    const ask = () => commands.of(() => gateway.gql(query, variables as Record<string, unknown>));
    await trusted();
    const first = await ask();
    expect(first.result).toEqual(expected);
    expect(await ask()).toEqual({ result: expected, commands: [] });
    return first.commands;
  }

  const credentials = (selection: string, more = ''): string =>
    `query ($ids: [String!]${more}) { credentials(first: 20, where: { credentialId: { in: $ids } }) { nodes { name ${selection} } } }`;

  const together: [string, string, object][] = [
    ['with constant arguments', credentials('programs(first: 2) { totalCount nodes { name } }'), {}],
    ['with arguments of variables', credentials('programs(first: $n) { nodes { name } }', ', $n: Int!'), { n: 3 }],
    ['with the default of a variable', credentials('programs(first: $n) { nodes { name } }', ', $n: Int = 1'), {}],
    ['in another order', credentials('programs(first: 2, orderBy: { field: NAME }) { nodes { name } }'), {}],
    [
      'in a fragment',
      `${credentials('...Programs')} fragment Programs on Credential { ... on Credential { programs(first: 4) { nodes { name } } } }`,
      {},
    ],
    [
      'twice, in two sizes',
      credentials('programs(first: 1) { nodes { name } } more: programs(first: 5) { nodes { name } }'),
      {},
    ],
  ];
  it.each(together)('are read with a list %s', async (_, query, variables) => {
    expect(await commandsOf(query, { ids: someIds(), ...variables })).toEqual(['aggregate credentials']);
  });

  it('of issuers and schemas are read with their lists', async () => {
    const [{ issuerId, schemaId } = { issuerId: '', schemaId: '' }] = network.credentials.filter(({ live }) => live);
    const issuer = '{ issuer(issuerId: $id) { name credentials(first: 3) { nodes { name } } } }';
    expect(await commandsOf(`query ($id: String!) ${issuer}`, { id: issuerId })).toEqual(['aggregate issuers']);
    const lists = 'credentials(first: 2) { nodes { name } } issuers(first: 2) { nodes { issuerId } }';
    const sent = await commandsOf(`query ($id: String!) { schema(schemaId: $id) { title ${lists} } }`, {
      id: schemaId,
    });
    expect(sent.filter((command) => command !== 'find issuers')).toEqual(['aggregate schemas']);
  });

  const alone: [string, string, object][] = [
    ['that are not asked for', credentials('category'), {}],
    [
      'that are left out',
      credentials('programs(first: 2) @include(if: $yes) { nodes { name } }', ', $yes: Boolean!'),
      { yes: false },
    ],
  ];
  it.each(alone)('are read without lists %s', async (_, query, variables) => {
    expect(await commandsOf(query, { ids: someIds(), ...variables })).toEqual(['find credentials']);
  });

  it('are read before their lists where those are long', async () => {
    const sent = await commandsOf(credentials('programs(first: 50) { nodes { name } }'), { ids: someIds() });
    expect(sent).toEqual(['find credentials', 'aggregate credentials']);
  });

  it('are reported as without a cache where the arguments of a list are invalid', async () => {
    const query = credentials('programs(first: -1) { nodes { name } }');
    const variables = { ids: someIds() };
    const { errors } = await gateway.gql(query, variables);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
