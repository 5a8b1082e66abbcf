// A number that a double cannot represent is refused in every kind of request, and the refusal names its place: stored or signed, it would become
// another number.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderOf, runCli } from '../../cli/run-cli.js';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { type Membership, startMembership } from '../../support/membership.js';

const INEXACT = 'is a number that a double cannot hold exactly: write it as a text, or with fewer digits.';
const SERIAL = '39e1804';
const LONG = '9007199254740993';

let membership: Membership;
beforeAll(async () => {
  membership = await startMembership();
});
afterAll(() => membership.gateway.close());

const issued = (): Promise<number> => membership.gateway.app.connection.collection('issuances').countDocuments();
const input = (subject: string, more = ''): string =>
  `{"issuerDid":"${membership.issuerDid}","credentialId":"member","email":"a@b.example","credentialSubject":${subject}${more}}`;
const gql = (query: string, variables: string): string => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const ISSUE = 'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash } } }';
const BATCH = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';

describe('a number that a double cannot hold', () => {
  const rows = (subject: string): string =>
    `{"issuerDid":"did:web:x","credentialId":"member","rows":[{"rowKey":"1","email":"a@b.example","credentialSubject":${subject}}]}`;
  const convert = `{"from":"iden3","to":"text","value":{"credentialSubject":{"age":{"$eq":${LONG}}}}}`;
  const ways: [string, string, string, () => string, string][] = [
    [
      'in a body',
      'POST',
      '/v1/credentials/issue-on-behalf',
      () => input(`{"level":${SERIAL}}`),
      'credentialSubject.level',
    ],
    [
      'deep in a body',
      'POST',
      '/v1/credentials/issue-on-behalf',
      () => input(`{"note":[1,{"a":-${LONG}}]}`),
      'credentialSubject.note[1].a',
    ],
    [
      'in GraphQL variables',
      'POST',
      '/graphql',
      () => gql(ISSUE, `{"input":${input(`{"level":${LONG}.0}`)}}`),
      'variables.input.credentialSubject.level',
    ],
    [
      'in a batch',
      'POST',
      '/graphql',
      () => gql(BATCH, `{"input":${rows('{"level":1e309}')}}`),
      'variables.input.rows[0].credentialSubject.level',
    ],
    [
      'in a variable that nobody declares',
      'POST',
      '/graphql',
      () => gql('{ __typename }', `{"a":${LONG}}`),
      'variables.a',
    ],
    ['in an iden3 query', 'POST', '/v1/conditions/convert', () => convert, 'value.credentialSubject.age.$eq'],
    ['beside a document', 'PUT', '/v1/admin/schemas/x', () => `{"title":${LONG},"jsonSchema":{}}`, 'title'],
  ];
  it.each(ways)(
    'a number that a double cannot hold is refused and nothing is issued: %s: 400',
    async (_name, method, path, body, field) => {
      const { gateway } = membership;
      const headers = { 'x-admin-api-key': gateway.operatorKey, 'x-partner-auth': await membership.token() };
      const answer = await gateway.rest(method, path, { body: body(), headers });
      expect(answer.status, JSON.stringify(answer.body)).toBe(400);
      expect(answer.body.message ?? answer.body.errors[0].message).toBe(`"${field}" ${INEXACT}`);
      expect(await issued()).toBe(0);
    },
  );

  it('a number that a double cannot hold is refused in the address of a GraphQL query: 400', async () => {
    const query = new URLSearchParams({ query: '{ __typename }', variables: `{"a":[${SERIAL}]}` });
    const answer = await membership.gateway.rest('GET', `/graphql?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toBe(`"a[0]" ${INEXACT}`);
  });

  it.each([SERIAL, LONG, '1e-400', '9.007199254740993e15'])(
    'a number that a double cannot hold as a GraphQL literal, %s, is an error at its position',
    async (literal) => {
      const subject = `{ level: 1, note: [{ a: ${literal} }] }`;
      const query = `mutation { issueOnBehalf(input: { issuerDid: "${membership.issuerDid}", credentialId: "member", email: "a@b.example", credentialSubject: ${subject} }) { issuance { coreClaimHash } } }`;
      const headers = { 'x-partner-auth': await membership.token() };
      const { body } = await membership.gateway.rest('POST', '/graphql', { body: { query }, headers });
      const error = {
        message: expect.stringContaining(INEXACT),
        locations: [{ line: 1, column: query.indexOf(literal) + 1 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      };
      expect(body.errors).toMatchObject([error]);
      const byDefault = query
        .replace(subject, '$subject')
        .replace('mutation', `mutation ($subject: JSON! = ${subject})`);
      const other = await membership.gateway.rest('POST', '/graphql', { body: { query: byDefault }, headers });
      expect(other.body.errors[0].message).toContain(INEXACT);
      expect(await issued()).toBe(0);
    },
  );

  it('a number that a double cannot hold in variables over a socket is an error of the operation, and the socket stays open', async () => {
    const socket = await RawSocket.open(membership.gateway, { init: {} });
    const subscribe = (id: string, variables: string): void =>
      socket.send(`{"id":"${id}","type":"subscribe","payload":${gql('{ __typename }', variables)}}`);
    subscribe('1', `{"a":{"b":${SERIAL}}}`);
    const refused = await socket.message(({ id }) => id === '1');
    expect(refused).toMatchObject({ type: 'error', payload: [{ message: `"variables.a.b" ${INEXACT}` }] });
    subscribe('2', '{"a":12345678901234560000}');
    expect(await socket.message(({ id }) => id === '2')).toMatchObject({ type: 'next' });
    socket.send('{"id":"3", 1e400');
    expect((await socket.closed).code).toBe(4400);
  });

  it('a number that a double cannot hold is refused in an event stream: 400', async () => {
    const headers = { accept: 'text/event-stream' };
    const body = gql('subscription { catalogEntryChanged { id } }', `{"a":${SERIAL}}`);
    expect((await membership.gateway.rest('POST', '/graphql', { body, headers })).status).toBe(400);
  });

  it('a number that a double cannot hold is refused in a condition, at its position', async () => {
    for (const number of [SERIAL, LONG, '9007199254740993.0', '18446744073709551616']) {
      const body = { from: 'text', to: 'iden3', value: [`level = ${number}`] };
      const answer = await membership.gateway.rest('POST', '/v1/conditions/convert', { body });
      expect([answer.status, answer.body.message]).toEqual([
        400,
        expect.stringContaining('"value" is wrong at position 8'),
      ]);
    }
  });
});

describe('on the command line, a number that a double cannot hold', () => {
  it('on the command line, a number that a double cannot hold is a refused import line; other lines are imported', async () => {
    const { gateway } = membership;
    const line = (id: string, more = ''): string =>
      `{"kind":"verifiers","id":"${id}","name":"V","verifierDid":"did:web:${id}"${more}}`;
    const lines = [line('one'), line('two', `,"rank":${SERIAL}`), line('three', `,"rank":${LONG}`), line('four')];
    const headers = { 'content-type': 'application/x-ndjson' };
    const { body } = await gateway.admin('POST', '/v1/admin/import', { body: lines.join('\n'), headers });
    const results = String(body)
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(results.map(({ result }) => result)).toEqual(['created', 'refused', 'refused', 'created']);
    expect(results.map(({ message }) => message)).toEqual([
      undefined,
      `"rank" ${INEXACT}`,
      `"rank" ${INEXACT}`,
      undefined,
    ]);
    const folder = folderOf({ 'a.ndjson': lines.join('\n') });
    const { code, out } = await runCli(['import', folder, '--url', gateway.url, '--key', gateway.operatorKey]);
    expect(code).toBe(1);
    expect(out).toContain(`a.ndjson:2: "rank" ${INEXACT}`);
    expect(out).toContain(`a.ndjson:3: "rank" ${INEXACT}`);
    expect(out).toContain('2 unchanged, 2 refused');
  });

  it('on the command line, a number that a double cannot hold is refused in a subject', async () => {
    const folder = folderOf({ token: 'none' });
    const { code, err } = await runCli([
      ...['issue', '--url', membership.gateway.url, '--credential', 'member', '--email', 'a@b.example'],
      ...['--subject', `{"level":${LONG}}`, '--token-file', join(folder, 'token')],
    ]);
    expect([code, err]).toEqual([1, `"--subject.level" ${INEXACT}\n`]);
  });
});

describe('a document', () => {
  const documentOf = (bounds: string, id = `https://schemas.example/${randomUUID()}`): string =>
    `{"$id":"${id}","type":"object","properties":{"n":{"type":"integer",${bounds}},"t":{"type":"string"}}}`;
  const INT64 = '"minimum":-9223372036854775808,"maximum":9223372036854775807';

  it('a document is stored and served with all digits of its numbers, and differs from one with other digits', async () => {
    const { gateway } = membership;
    const id = `https://schemas.example/${randomUUID()}`;
    const path = `/v1/admin/schemas/${encodeURIComponent(id)}`;
    const put = async (document: string) => {
      const answer = await fetch(gateway.url + path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-admin-api-key': gateway.operatorKey },
        body: `{"jsonSchema":${document}}`,
      });
      return { status: answer.status, text: await answer.text() };
    };
    const document = documentOf(INT64, id);
    const first = await put(document);
    expect([first.status, first.text]).toEqual([200, expect.stringContaining(`"jsonSchema":${document}`)]);
    expect(JSON.parse((await put(document)).text).version).toBe(1);
    expect(JSON.parse((await put(document.replace('5807', '5806'))).text).version).toBe(2);
    const served = await fetch(`${gateway.url}/v1/schemas/${encodeURIComponent(id)}/versions/1`);
    expect(await served.text()).toBe(document);
    const admin = await fetch(gateway.url + path, { headers: { 'x-admin-api-key': gateway.operatorKey } });
    expect(await admin.text()).toContain('9223372036854775806');
  });

  it('a document keeps its digits in imports and from the command line, and its impact is computed', async () => {
    const { gateway } = membership;
    const ids = [1, 2, 3, 4].map(() => `https://schemas.example/${randomUUID()}`);
    const [a = '', b = '', c = '', d = ''] = ids.map((id) => documentOf('"maximum":1.8446744073709551615E19', id));
    const line = (document: string, id = ''): string => `{"kind":"schemas","id":"${id}","jsonSchema":${document}}`;
    const folder = folderOf({ 'a.json': a, 'b.ndjson': line(b, ids[1]), 'c.json': `{"schemas":[${line(c, ids[2])}]}` });
    const options = ['--url', gateway.url, '--key', gateway.operatorKey];
    expect(await runCli(['import', folder, ...options])).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 created'),
    });
    const headers = { 'content-type': 'application/x-ndjson' };
    await gateway.admin('POST', '/v1/admin/import', { body: line(d, ids[3]), headers });
    for (const id of ids) {
      const served = await fetch(`${gateway.url}/v1/schemas/${encodeURIComponent(id)}/versions/1`);
      expect(await served.text()).toContain('"maximum":18446744073709551615}');
    }
    writeFileSync(join(folder, 'a.json'), a);
    const impact = await runCli(['schema', 'impact', ids[0] ?? '', join(folder, 'a.json'), ...options]);
    expect(impact).toMatchObject({ code: 0 });
  });

  it.each([
    ['"maximum":1e400', 'jsonSchema.properties.n.maximum'],
    ['"multipleOf":1e-400', 'jsonSchema.properties.n.multipleOf'],
    ['"minimum":9007199254740993.5', 'jsonSchema.properties.n.minimum'],
  ])('a document with %s is refused with the path', async (bounds, field) => {
    const body = `{"jsonSchema":${documentOf(bounds)}}`;
    const answer = await membership.gateway.admin('PUT', '/v1/admin/schemas/x', { body });
    expect([answer.status, answer.body.message]).toEqual([400, `"${field}" ${INEXACT}`]);
    const posted = await membership.gateway.admin('POST', '/v1/admin/schemas/x/impact', { body });
    expect(posted.status).toBe(400);
  });

  it('a document in GraphQL with a number that a double cannot hold is refused with its path', async () => {
    const query = 'mutation ($input: PutSchemaInput!) { putSchema(input: $input) { schema { schemaId } } }';
    const body = gql(query, `{"input":{"schemaId":"x","jsonSchema":${documentOf(INT64)}}}`);
    const headers = { 'x-admin-api-key': membership.gateway.operatorKey };
    const answer = await membership.gateway.rest('POST', '/graphql', { body, headers });
    const field = 'variables.input.jsonSchema.properties.n.minimum';
    expect(answer.body.errors[0].message).toBe(`"${field}" ${INEXACT}`);
  });
});
