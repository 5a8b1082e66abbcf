// Half of a surrogate pair is no text, and neither are bytes that are not UTF-8: both are refused in every kind of
// request, before anything is stored or hashed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkUnicode } from '../../../src/base/json/unicode.js';
import { runCli, folderOf } from '../../cli/run-cli.js';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { type Membership, startMembership } from '../../support/membership.js';

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
  it.each(ways)('half of a surrogate pair is refused: %s: 400', async (_name, method, path, body, field) => {
    const { gateway } = membership;
    const headers = { 'x-admin-api-key': gateway.operatorKey, 'x-partner-auth': await membership.token() };
    const answer = await gateway.rest(method, path, { body, headers });
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    const message = `"${field}" has a text that is not Unicode: half of a surrogate pair.`;
    expect(answer.body.message ?? answer.body.errors[0].message).toBe(message);
  });

  it('half of a surrogate pair is refused in the address of a GraphQL query: 400', async () => {
    const query = new URLSearchParams({ query: '{ __typename }', variables: `{"a":"${HALF}"}` });
    expect((await membership.gateway.rest('GET', `/graphql?${query}`)).status).toBe(400);
  });

  it('half of a surrogate pair in variables over a socket is an error of the operation', async () => {
    const socket = await RawSocket.open(membership.gateway, { init: {} });
    const payload = gql('subscription { catalogEntryChanged { id } }', `{"a":"${HALF}"}`);
    socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
    const refused = await socket.message(({ id }) => id === '1');
    const message = expect.stringContaining('"variables.a" has a text that is not Unicode');
    expect(refused).toMatchObject({ type: 'error', payload: [{ message }] });
    socket.socket.terminate();
  });

  it('half of a surrogate pair is refused in a claim of a partner token: 400', async () => {
    const token = await membership.token({ email: 'a@b.example', partnerUserId: '\ud800' });
    const headers = { 'x-partner-auth': token };
    const answer = await membership.gateway.rest('POST', '/v1/auth/login', { body: {}, headers });
    expect(answer).toMatchObject({ status: 400, body: { message: '"partnerUserId" must be Unicode.' } });
  });

  it('half of a surrogate pair is a refused import line, and refused in a document on the command line', async () => {
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

describe('bytes that are not UTF-8', () => {
  let membership: Membership;
  beforeAll(async () => {
    membership = await startMembership();
  });
  afterAll(() => membership.gateway.close());

  const post = async (path: string, body: Buffer | string, type = 'application/json') => {
    const headers = { 'content-type': type, 'x-partner-auth': await membership.token() };
    const answer = await fetch(membership.gateway.url + path, { method: 'POST', headers, body });
    const json = (await answer.json()) as { message?: string; errors?: { message: string }[]; userId?: string };
    return { status: answer.status, message: json.message ?? json.errors?.[0]?.message, userId: json.userId };
  };
  const USER = '/v1/auth/initialize-user';
  const LATIN1 = Buffer.from('{"email":"jörg@example.org"}', 'latin1');
  const MESSAGE = 'The body is not text in UTF-8.';

  it('bytes that are not UTF-8 are refused, because two people could become one holder', async () => {
    expect(await post(USER, LATIN1)).toMatchObject({ status: 400, message: MESSAGE });
    const query = Buffer.from('{"query":"{ __typename #ö\\n }"}', 'latin1');
    expect(await post('/graphql', query)).toMatchObject({ status: 400, message: MESSAGE });
  });

  it('bytes that are not UTF-8 and other charsets are refused, and UTF-8 is read under all its names', async () => {
    const body = '{"email":"jörg@example.org"}';
    const { status, message } = await post(USER, LATIN1, 'application/json; charset=latin1');
    expect([status, message]).toEqual([415, 'Bodies are read as UTF-8; the content-type names another charset.']);
    const types = ['application/json', 'application/json; charset=UTF-8', 'application/json;charset="utf8"; a=b'];
    const answers = [];
    for (const type of types) answers.push(await post(USER, body, type));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1);
  });

  it('bytes that a lenient program has replaced are not accepted', async () => {
    expect(await post(USER, '{"email":"j\ufffdrg@example.org"}')).toMatchObject({
      status: 400,
      message: '"email" must be an e-mail address.',
    });
  });

  it('bytes that are not UTF-8 are refused import lines, and refused in a recipients file on the command line', async () => {
    const { gateway } = membership;
    const line = Buffer.from('{"kind":"verifiers","id":"x","name":"J\xf6rg","verifierDid":"did:web:x"}', 'latin1');
    const headers = { 'content-type': 'application/x-ndjson', 'x-admin-api-key': gateway.operatorKey };
    const imported = await fetch(`${gateway.url}/v1/admin/import`, { method: 'POST', headers, body: line });
    expect(await imported.text()).toContain('"message":"The line is not text in UTF-8');
    const folder = folderOf({ token: 'none' });
    const file = join(folder, 'people.csv');
    writeFileSync(file, Buffer.from('email\njörg@example.org\n', 'latin1'));
    const { code, err } = await runCli([
      ...['issue-batch', file, '--url', gateway.url, '--issuer', 'did:web:x', '--credential', 'x'],
      ...['--token-file', join(folder, 'token')],
    ]);
    expect([code, err]).toEqual([1, `${file} is not text in UTF-8: save it as CSV in UTF-8.\n`]);
  });
});

it('whole surrogate pairs, and backslashes that escape nothing, are accepted', () => {
  for (const text of ['"\\ud83d\\ude00"', '"\\\\ud800"']) expect(() => checkUnicode(JSON.parse(text))).not.toThrow();
});
