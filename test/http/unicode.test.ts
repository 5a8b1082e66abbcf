// Half of a surrogate pair is no text: it is refused on every way in, with the field, before anything stores or hashes it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkUnicode } from '../../src/base/unicode.js';
import { runCli, folderOf } from '../cli/run-cli.js';
import { RawSocket } from '../graphql/subscriptions/raw-socket.js';
import { type Membership, startMembership } from '../support/membership.js';

const HALF = '\\ud800';

describe('half of a surrogate pair', () => {
  let membership: Membership;
  beforeAll(async () => {
    membership = await startMembership();
  });
  afterAll(() => membership.gateway.close());

  const document = `{"title":"a","properties":{"a":{"pattern":"${HALF}"}}}`;
  const gql = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  const PUT = 'mutation ($input: PutSchemaInput!) { putSchema(input: $input) { schema { schemaId } } }';
  const PATTERN = 'jsonSchema.properties.a.pattern';
  const ways: [string, string, string, string, string][] = [
    ['a document', 'PUT', '/v1/admin/schemas/x', `{"jsonSchema":${document}}`, PATTERN],
    ['its impact', 'POST', '/v1/admin/schemas/x/impact', `{"jsonSchema":${document}}`, PATTERN],
    ['a name', 'PUT', '/v1/admin/schemas/x', `{"jsonSchema":{"a${HALF}":1}}`, 'jsonSchema.a\ufffd'],
    ['GraphQL', 'POST', '/graphql', gql(PUT, `{"input":{"jsonSchema":${document}}}`), `variables.input.${PATTERN}`],
    ['an id of a partner', 'POST', '/v1/dstorage/vcs', '{"externalId":"\\uDBFF"}', 'externalId'],
    ['the second half alone', 'POST', '/v1/dstorage/vcs', '{"externalId":["a","\\udc00"]}', 'externalId[1]'],
    [
      'a user',
      'POST',
      '/v1/auth/initialize-user',
      `{"email":"a@b.example","partnerUserId":"${HALF}"}`,
      'partnerUserId',
    ],
  ];
  it.each(ways)('%s: 400', async (_name, method, path, body, field) => {
    const { gateway } = membership;
    const headers = { 'x-admin-api-key': gateway.operatorKey, 'x-partner-auth': await membership.token() };
    const answer = await gateway.rest(method, path, { body, headers });
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    const message = `"${field}" has a text that is not Unicode: half of a surrogate pair.`;
    expect(answer.body.message ?? answer.body.errors[0].message).toBe(message);
  });

  it('in the address of a GraphQL query: 400', async () => {
    const query = new URLSearchParams({ query: '{ __typename }', variables: `{"a":"${HALF}"}` });
    expect((await membership.gateway.rest('GET', `/graphql?${query}`)).status).toBe(400);
  });

  it('in variables over a socket: an error of the operation', async () => {
    const socket = await RawSocket.open(membership.gateway, { init: {} });
    const payload = gql('subscription { catalogEntryChanged { id } }', `{"a":"${HALF}"}`);
    socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
    const refused = await socket.message(({ id }) => id === '1');
    const message = expect.stringContaining('"variables.a" has a text that is not Unicode');
    expect(refused).toMatchObject({ type: 'error', payload: [{ message }] });
    socket.socket.terminate();
  });

  it('in a claim of a partner token: 400', async () => {
    const token = await membership.token({ email: 'a@b.example', partnerUserId: '\ud800' });
    const headers = { 'x-partner-auth': token };
    const answer = await membership.gateway.rest('POST', '/v1/auth/login', { body: {}, headers });
    expect(answer).toMatchObject({ status: 400, body: { message: '"partnerUserId" must be Unicode.' } });
  });

  it('in an import: a refused line, and a document that the command line refuses', async () => {
    const { gateway } = membership;
    const line = `{"kind":"schemas","id":"x","jsonSchema":${document}}`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const imported = await gateway.admin('POST', '/v1/admin/import', { body: line, headers });
    expect(imported.body).toContain(`\\"${PATTERN}\\" has a text that is not Unicode`);
    const folder = folderOf({ 'a.json': document, 'b.json': line });
    const { out } = await runCli(['import', folder, '--url', gateway.url, '--key', gateway.operatorKey]);
    expect(out).toContain('a.json: "properties.a.pattern" has a text that is not Unicode');
    expect(out).toContain(`b.json: "${PATTERN}" has a text that is not Unicode`);
  });
});

it('whole pairs, and backslashes that escape nothing, are texts', () => {
  for (const text of ['"\\ud83d\\ude00"', '"\\\\ud800"']) expect(() => checkUnicode(JSON.parse(text))).not.toThrow();
});
