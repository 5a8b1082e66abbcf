// Endlessly nested values are refused as bad input in every kind of request, whatever code would process them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { type Membership, startMembership } from '../../support/membership.js';

const DEEP = '['.repeat(5_000) + ']'.repeat(5_000);

describe('5,000 levels of lists', () => {
  let membership: Membership;
  beforeAll(async () => {
    membership = await startMembership();
  });
  afterAll(() => membership.gateway.close());

  const headers = async () => ({ 'x-partner-auth': await membership.token() });
  const subject = '{"level":1,"since":"2024-01-01","note":DEEP}';
  const issue = () =>
    `{"issuerDid":"${membership.issuerDid}","credentialId":"member","email":"a@b.example","credentialSubject":${subject}}`;
  const put = '{"title":"a","description":"","dataPoints":DEEP}';
  const batch = () =>
    `{"input":{"issuerDid":"${membership.issuerDid}","credentialId":"member","rows":[{"rowKey":"1","email":"a@b.example","credentialSubject":${subject}}]}}`;
  const gql = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  const ISSUE =
    'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash } } }';
  const BATCH =
    'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { batch { batchId } } }';

  const ways: [string, string, () => string, Record<string, string>?][] = [
    ['issue-on-behalf', '/v1/credentials/issue-on-behalf', issue],
    ['issue-on-behalf under a key', '/v1/credentials/issue-on-behalf', issue, { 'idempotency-key': 'one' }],
    ['the whole body', '/v1/credentials/issue-on-behalf', () => 'DEEP'],
    ['the whole body of GraphQL', '/graphql', () => 'DEEP'],
    ['GraphQL variables', '/graphql', () => gql(ISSUE, `{"input":${issue()}}`)],
    [
      'GraphQL variables under a key',
      '/graphql',
      () => gql(ISSUE, `{"input":${issue()}}`),
      { 'idempotency-key': 'two' },
    ],
    ['a variable that nobody declares', '/graphql', () => gql('{ __typename }', '{"a":DEEP}')],
    ['a batch', '/graphql', () => gql(BATCH, batch())],
    ['GraphQL extensions', '/graphql', () => '{"query":"{ __typename }","extensions":DEEP}'],
    ['a literal', '/graphql', () => gql('{ credentials(where: DEEP) { totalCount } }', '{}')],
    ['a selection', '/graphql', () => gql(`{ ${'a { '.repeat(5000)} b ${' }'.repeat(5000)} }`, '{}')],
  ];
  it.each(ways)('5,000 levels of lists are refused: %s: 400', async (_name, path, body, more = {}) => {
    const answer = await membership.gateway.rest('POST', path, {
      body: body().replace('DEEP', DEEP),
      headers: { ...(await headers()), ...more },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
  });

  it('5,000 levels of lists are refused in the address of a GraphQL query: 400', async () => {
    const { gateway } = membership;
    const shallow = DEEP.slice(4_000, 6_000);
    const query = new URLSearchParams({ query: '{ __typename }', variables: `{"a":${shallow}}` });
    expect((await gateway.rest('GET', `/graphql?${query}`)).status).toBe(400);
  });

  it('5,000 levels of lists in variables over a socket and an event stream are an error of the operation', async () => {
    const { gateway } = membership;
    const socket = await RawSocket.open(gateway, { init: {} });
    const payload = `{"query":"subscription { catalogEntryChanged { id } }","variables":{"a":${DEEP}}}`;
    socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
    const refused = await socket.message(({ id }) => id === '1');
    expect(refused).toMatchObject({ type: 'error', payload: [{ message: expect.stringContaining('levels deep') }] });
    socket.socket.terminate();
    const headers = { accept: 'text/event-stream' };
    expect((await gateway.rest('POST', '/graphql', { body: payload, headers })).status).toBe(400);
  });

  it("5,000 levels of lists are refused in an operator's body with 400, and in an import as one line", async () => {
    const { gateway } = membership;
    const entry = put.replace('DEEP', DEEP);
    expect((await gateway.admin('PUT', '/v1/admin/schemas/a', { body: entry })).status).toBe(400);
    const document = entry.replace('"dataPoints"', '"jsonSchema"');
    expect((await gateway.admin('PUT', '/v1/admin/schemas/a', { body: document })).status).toBe(400);
    const line = `{"kind":"schemas","id":"a","jsonSchema":{"a":${DEEP}}}`;
    const imported = await gateway.admin('POST', '/v1/admin/import', {
      body: line,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.status).toBe(200);
    expect(imported.body).toContain('levels');
  });
});
