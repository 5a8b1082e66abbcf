// Members that would change an object's prototype are refused wherever JSON comes in, in the same words: none is lost silently.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderOf, runCli } from '../../cli/run-cli.js';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { type TestGateway, startGateway } from '../../support/gateway.js';

const REFUSED = 'names __proto__ or constructor.prototype, which is refused.';
/** JSON texts with such a member: as it is, deep, beside others, and in another spelling. */
const NAMED = [
  '{"__proto__":{"a":1}}',
  '{"a":[{"b":{"__proto__":null}}]}',
  '{"a":1,"constructor":{"prototype":{"b":2}}}',
  '{"\\u005f_proto__":1}',
];
/** JSON texts that only look like it. */
const HARMLESS = ['{"constructor":{"a":1},"prototype":2}', '{"a":"__proto__"}', '{"\\u0061":"constructor.prototype"}'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const verifier = (data: string, id = 'gate'): string =>
  `{"name":"V","verifierDid":"did:web:${id}.example","verifierInfo":[{"format":"jwt","data":${data}}]}`;
const line = (kind: string, id: string, body: string): string => `{"kind":"${kind}","id":"${id}",${body.slice(1)}`;

async function imported(lines: readonly string[]): Promise<{ result: string; message?: string }[]> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body } = await gateway.admin('POST', '/v1/admin/import', { body: lines.join('\n'), headers });
  const texts = String(body).trim().split('\n');
  return texts.map((text) => JSON.parse(text));
}

async function stored(id: string): Promise<unknown> {
  const { body } = await gateway.admin('GET', `/v1/admin/verifiers/${id}`);
  return body.verifierInfo?.[0]?.data;
}

describe('a member that would change a prototype', () => {
  it.each(NAMED)('a member that would change a prototype is refused by an import as by a PUT: %s', async (data) => {
    const put = await gateway.admin('PUT', '/v1/admin/verifiers/gate', { body: verifier(data) });
    expect([put.status, put.body.message]).toEqual([400, `The body ${REFUSED}`]);
    const results = await imported([
      line('verifiers', 'gate', verifier(data)),
      line('verifiers', 'ok', verifier('"x"', 'ok')),
    ]);
    expect(results[0]).toMatchObject({ id: null, result: 'refused', message: `The line ${REFUSED}` });
    expect(results[1]?.result).toMatch(/created|unchanged/);
    expect(await stored('gate')).toBeUndefined();
  });

  it('a member that would change a prototype is refused in every kind of import line', async () => {
    const lines = [
      line('schemas', 's', '{"jsonSchema":{"__proto__":{"type":"object"},"properties":{"a":{"type":"string"}}}}'),
      line('schemas', 's', '{"jsonSchema":{"properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}}'),
      line('credentials', 'c', '{"name":"C","traction":{"__proto__":1}}'),
      line('partners', 'p', '{"name":"P","jwks":{"keys":[{"kid":"k","__proto__":{"kty":"RSA"}}]}}'),
      '{"__proto__":{"kind":"verifiers","id":"x"}}',
    ];
    const results = await imported(lines);
    expect(results.map(({ message }) => message)).toEqual(lines.map(() => `The line ${REFUSED}`));
  });

  it.each(HARMLESS)('members that only look like it are stored as they came: %s', async (data) => {
    const id = `harmless-${HARMLESS.indexOf(data)}`;
    expect(await imported([line('verifiers', id, verifier(data, id))])).toMatchObject([{ result: 'created' }]);
    expect(await stored(id)).toEqual(JSON.parse(data));
    const put = await gateway.admin('PUT', `/v1/admin/verifiers/${id}`, { body: verifier(data, id) });
    expect(put.status).toBe(200);
    expect(await stored(id)).toEqual(JSON.parse(data));
  });

  it('a member that would change a prototype is refused on the command line, in the words of the gateway', async () => {
    const folder = folderOf({ 'a.ndjson': line('verifiers', 'v', verifier(NAMED[0] ?? '', 'v')) });
    const { code, out } = await runCli(['import', folder, '--url', gateway.url, '--key', gateway.operatorKey]);
    expect([code, out]).toEqual([1, expect.stringContaining(`a.ndjson:1: The line ${REFUSED}`)]);
  });
});

describe('in GraphQL, a member that would change a prototype', () => {
  const PUT =
    'mutation ($info: JSON) { putVerifier(input: { verifierId: "g", name: "V", verifierDid: "did:web:g.example", verifierInfo: $info }) { verifier { verifierId } } }';
  const CONVERT =
    'query ($value: JSON!) { convertConditions(input: { from: IDEN3, to: TEXT, value: $value }) { value } }';

  it.each(['{ __proto__: { a: 1 } }', '{ a: [{ __proto__: 1 }] }', '{ constructor: { prototype: { a: 1 } } }'])(
    'in GraphQL, a member that would change a prototype is an error at its literal: %s',
    async (literal) => {
      const info = `[{ format: "jwt", data: ${literal} }]`;
      for (const query of [
        PUT.replace('($info: JSON) ', '').replace('$info', info),
        PUT.replace('$info: JSON', `$info: JSON = ${info}`),
      ]) {
        const { errors } = await gateway.gql(query, {}, { 'x-admin-api-key': gateway.operatorKey });
        expect(errors?.[0]?.message).toMatch(/" names __proto__ or constructor\.prototype, which is refused\.$/);
        expect(errors?.[0]?.locations).toEqual([{ line: 1, column: query.indexOf(info) + 1 }]);
      }
      expect((await gateway.admin('GET', '/v1/admin/verifiers/g')).status).toBe(404);
    },
  );

  it.each(NAMED)(
    'in GraphQL, a member that would change a prototype is refused in the variables of a GET: %s',
    async (value) => {
      const query = new URLSearchParams({ query: CONVERT, variables: `{"value":${value}}` });
      const { status, body } = await gateway.rest('GET', `/graphql?${query}`);
      expect([status, body.errors[0].message]).toEqual([400, `"variables.value" ${REFUSED}`]);
    },
  );

  it('in GraphQL, a member that would change a prototype is an error of the operation over a socket', async () => {
    const socket = await RawSocket.open(gateway, { init: {} });
    const payload = `{"query":${JSON.stringify(CONVERT)},"variables":{"value":${NAMED[0]}}}`;
    socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
    const message = await socket.message(({ id }) => id === '1');
    expect(message).toMatchObject({ payload: { errors: [{ message: `"variables.value" ${REFUSED}` }] } });
  });
});
