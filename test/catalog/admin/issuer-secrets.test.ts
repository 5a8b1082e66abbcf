// The API key of an issuer is only sent to the servers it was set for: whoever changes an address does not receive it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner } from '../../support/partner.js';
import { importInto } from './admin-fixture.js';

let gateway: TestGateway;
let holder: Record<string, string>;
/** Two servers, and the x-api-key values that they received. */
const servers: Server[] = [];
let received: (string | undefined)[] = [];
let [here, there] = ['', ''];
let number = 0;

beforeAll(async () => {
  gateway = await startGateway();
  holder = { authorization: `Bearer ${await logIn(gateway, await registerPartner(gateway), 'ada@example.org')}` };
  const schema = { title: 's', description: '', dataPoints: [{ name: 'note', type: 'string' }] };
  await gateway.admin('PUT', '/v1/admin/schemas/s', { body: schema });
  [here, there] = [await startServer(), await startServer()];
});
afterAll(async () => {
  for (const server of servers) server.close();
  await gateway?.close();
});

async function startServer(): Promise<string> {
  const server = createServer((request, response) => {
    received.push(request.headers['x-api-key']?.toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Body = Record<string, unknown>;
type Door = (issuerId: string, body: Body) => Promise<unknown>;
const DOORS: Record<string, Door> = {
  PUT: async (issuerId, body) => (await gateway.admin('PUT', `/v1/admin/issuers/${issuerId}`, { body })).status,
  mutation: async (issuerId, body) => {
    const query = 'mutation ($input: PutIssuerInput!) { putIssuer(input: $input) { result } }';
    const own = { 'x-admin-api-key': gateway.operatorKey };
    return (await gateway.gql(query, { input: { issuerId, ...body } }, own)).errors ?? 200;
  },
  import: async (id, body) => (await importInto(gateway, [{ kind: 'issuers', id, ...body }]))[0]?.message ?? 200,
};

/** The key in a call of each of the issuer's endpoints. */
async function sentKeys(issuerId: string): Promise<(string | undefined)[]> {
  received = [];
  await gateway.rest('GET', `/v1/credentials/available?issuerId=${issuerId}`, { headers: holder });
  const body = { issuerId, schemaId: 's' };
  await gateway.rest('POST', '/v1/credentials/issue', { headers: holder, body });
  return received;
}

describe.each(Object.entries(DOORS))('The API key of an issuer, by %s', (_name, write) => {
  const both = (base: string, path = '') => ({
    availableVcUrl: `${base}/available${path}`,
    issueVcUrl: `${base}/issue${path}`,
  });
  const RETIRED = undefined;
  it.each<[string, () => (Body | typeof RETIRED)[], (string | undefined)[]]>([
    ['stays when the name changes', () => [{ name: 'B', ...both(here) }], ['secret', 'secret']],
    ['stays on another path', () => [both(here, '/v2')], ['secret', 'secret']],
    ['stays with one endpoint less', () => [{ availableVcUrl: `${here}/available` }], ['secret']],
    ['does not go to another server', () => [both(there)], [undefined, undefined]],
    ['does not go along with one endpoint', () => [{ ...both(here), issueVcUrl: there }], [undefined, undefined]],
    [
      'does not go along with an endpoint for wallets',
      () => [{ ...both(here), credentialUrl: `${there}/credential`, walletIssuer: 'https://issuer.example/' }],
      [undefined, undefined],
    ],
    ['does not wait for another server', () => [{}, both(there)], [undefined, undefined]],
    ['does not come back with the former server', () => [both(there), both(here)], [undefined, undefined]],
    ['does not outlive the entry', () => [RETIRED, both(there)], [undefined, undefined]],
    ['is another one for another server', () => [{ ...both(there), apiKey: 'new' }], ['new', 'new']],
    ['is the same one where it is given again', () => [{ ...both(there), apiKey: 'secret' }], ['secret', 'secret']],
  ])('the API key of an issuer %s', async (_what, steps, expected) => {
    number += 1;
    const issuerId = `issuer-${number}`;
    const facts = { name: 'A', issuerFrom: 'x', issuerDid: `did:web:${issuerId}.example` };
    expect(await write(issuerId, { ...facts, ...both(here), apiKey: 'secret' })).toBe(200);
    expect(await sentKeys(issuerId)).toEqual(['secret', 'secret']);
    for (const step of steps()) {
      if (step === RETIRED) await gateway.admin('DELETE', `/v1/admin/issuers/${issuerId}`);
      else expect(await write(issuerId, { ...facts, ...step })).toBe(200);
    }
    expect(await sentKeys(issuerId)).toEqual(expected);
  });
});

it('no other record has both an address that can be replaced and a secret that is sent there', () => {
  const isAddress = (name: string) => /(url|uri|endpoint)$/i.test(name);
  const types = Object.values(buildGatewaySchema({ catalogEnabled: true }).getTypeMap()).filter(isInputObjectType);
  const found = types.flatMap((type) =>
    Object.keys(type.getFields())
      .filter(isAddress)
      .map((field) => `${type.name}.${field}`),
  );
  expect(found.sort()).toEqual([
    // The address of a core id's picture.
    'CoreIdInput.imageUrl',
    'PutIssuerInput.availableVcUrl',
    'PutIssuerInput.credentialUrl',
    'PutIssuerInput.issueVcUrl',
    'PutIssuerInput.subjectUrl',
    // From this address, public keys are read; no secret is sent.
    'PutPartnerInput.jwksUri',
    // Each webhook has a secret of its own, and its address cannot be changed.
    'RegisterWebhookInput.url',
    // The address to which the holder's page returns.
    'StartVerificationInput.redirectUrl',
  ]);
});
