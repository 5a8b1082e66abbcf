// Small requests that ask for very much: each is refused before anything is read, or its execution is as cheap as it is short.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';

let gateway: TestGateway;
let commands: RequestCommands;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  await writeNetwork(gateway.app.connection, makeNetwork(60, 5));
  const isCatalog = /^(credentials|programs|issuers|verifiers|schemas|schemaVersions)$/;
  commands = requestCommandsOf(gateway, (collection) => isCatalog.test(collection));
});
afterAll(() => gateway.close());

const aliases = (many: number, of: string): string =>
  Array.from({ length: many }, (_, at) => `${String.fromCharCode(97 + at)}:${of}`).join(' ');

/** Nested lists without pages: 87 MB for a hundred programs that accept a hundred credentials each. */
const UNPAGED =
  '{programs(first:100){nodes{...P acceptedCredentials{credential{programs(first:100){nodes{...P}}}}}}}fragment P on Program{name description id programId pricingModel createdAt acceptedCredentials{verificationConditions conditions{field operator values}credential{id name dataPoints{name title description}}}}';

/** Each list of fields contains six lists of fields, each with six types. */
const INTROSPECTION = `{__schema{types{...A}}}fragment A on __Type{${aliases(9, 'fields{...B}')}}fragment B on __Field{${aliases(9, 'type{...C}')}}fragment C on __Type{${aliases(9, 'fields{...D}')}}fragment D on __Field{${aliases(9, 'type{...E}')}}fragment E on __Type{kind name description ofType{kind name description enumValues{name description}}}`;

const COUNTS = `{${Array.from({ length: 45 }, (_, at) => `a${at}:credentials(first:1,where:{name:{contains:"a"}}){totalCount}`).join(' ')}}`;

const DOUBLING = `{ ...F0 } ${Array.from({ length: 40 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`).join(' ')} fragment F40 on Query { __typename }`;

describe('A small request that asks for very much', () => {
  it.each([
    ['lists without a page in each other', UNPAGED],
    ['introspection by aliases and fragments', INTROSPECTION],
    ['45 counts by a filter', COUNTS],
  ])('a small request for very much is refused before anything is read: %s', async (_, query) => {
    expect(query.length).toBeLessThan(3_000);
    for (let request = 0; request < 4; request += 1) {
      const { result, commands: sent } = await commands.of(() => gateway.gql(query));
      const { status, data, errors } = result;
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['QUERY_TOO_LARGE']);
      expect(sent).toEqual([]);
    }
  });

  it('a small request that only nests 40 fragments gets its response at once', async () => {
    for (let request = 0; request < 4; request += 1) {
      const { status, data } = await gateway.gql(DOUBLING);
      expect({ status, data }).toEqual({ status: 200, data: { __typename: 'Query' } });
    }
  });
});
