// A nested query costs a fixed number of database commands: as many for a hundred rows as for one.
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { makeNetwork, writeNetwork } from './network.js';

let gateway: TestGateway;
const commands: string[] = [];

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  await writeNetwork(gateway.app.connection, makeNetwork(300, 3));
  gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    commands.push(`${commandName} ${command[commandName]}`);
  });
});
afterAll(() => gateway.close());

/** The commands that a query takes. */
async function cost(query: string, variables: Record<string, unknown>): Promise<string[]> {
  commands.length = 0;
  const { errors } = await gateway.gql(query, variables);
  expect(errors).toBeUndefined();
  return [...commands].sort();
}

const NESTED = `query ($first: Int) {
  credentials(first: $first) { totalCount nodes {
    name dataPoints { name }
    issuer { name credentials(first: 2) { totalCount nodes { name schema { title issuers(first: 2) { totalCount nodes { name } } } } } }
    schema { title }
    programs(first: 3) { totalCount nodes {
      verifier { name programs(first: 2) { nodes { name } } }
      acceptedCredentials { conditions { field } credential { name issuer { name } programs(first: 3) { nodes { name } } } }
    } }
  } }
}`;

it.each([
  ['a nested query', NESTED],
  [
    'a query from schemas',
    'query ($first: Int) { schemas(first: $first) { nodes { credentials(first: 2) { nodes { issuer { name } } } issuers(first: 2) { nodes { name } } } } }',
  ],
  [
    'a query from verifiers',
    'query ($first: Int) { verifiers(first: $first) { nodes { programs(first: 2) { nodes { acceptedCredentials { credential { schema { title } } } } } } } }',
  ],
])('%s takes the same commands for 1, 10 and 100 rows', async (_, query) => {
  const one = await cost(query, { first: 1 });
  expect(await cost(query, { first: 10 })).toEqual(one);
  expect(await cost(query, { first: 100 })).toEqual(one);
});

it('totals of relations take no command of their own', async () => {
  const without = await cost('{ issuers(first: 20) { nodes { credentials { nodes { name } } } } }', {});
  expect(await cost('{ issuers(first: 20) { nodes { credentials { totalCount nodes { name } } } } }', {})).toEqual(
    without,
  );
});

it('a list is counted only when it is asked for', async () => {
  expect(await cost('{ credentials { nodes { name } } }', {})).toEqual(['find credentials']);
  expect(await cost('{ credentials { nodes { name } totalCount totalCountIsExact } }', {})).toHaveLength(2);
});

it('one credential asked for twenty times is read once', async () => {
  const fields = Array.from(
    { length: 20 },
    (_, at) => `c${at}: credential(credentialId: "credential-00000${at % 3}") { name }`,
  );
  expect(await cost(`{ ${fields.join(' ')} }`, {})).toEqual(['find credentials']);
});
