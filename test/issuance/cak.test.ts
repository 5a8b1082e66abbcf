// CAK: the holder registers public keys, the issuer's partners read them, and issue-vc gets the one of the request (contract §17).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CakPurpose, deriveCak } from '../../src/zk/cak.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { allowOrigins, logIn, registerPartner, type TestPartner } from '../support/partner.js';

const ISSUER_DID = 'did:web:cak.example';
const PLACE = { issuerId: 'cak', schemaId: 'kyc' };
const EMAIL = 'cak@example.org';

let gateway: TestGateway;
let partner: TestPartner;
let other: TestPartner;
let holder: Record<string, string>;
let userId: string;
let server: Server;
let asked: Record<string, unknown>[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push(JSON.parse(text));
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issueVcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/issue-vc`;
  await put('issuers/cak', { name: 'C', issuerFrom: 'x', issuerDid: ISSUER_DID, issueVcUrl });
  for (const id of ['kyc', 'plain'])
    await put(`schemas/${id}`, { title: id, description: '', dataPoints: [{ name: 'note', type: 'string' }] });
  const credential = { name: 'K', category: 'c', issuerId: 'cak' };
  await put('credentials/kyc', { ...credential, schemaId: 'kyc', cak: true });
  await put('credentials/plain', { ...credential, schemaId: 'plain' });
  partner = await registerPartner(gateway, [ISSUER_DID]);
  other = await registerPartner(gateway, []);
  holder = { authorization: `Bearer ${await logIn(gateway, partner, EMAIL)}` };
  userId = (await partner.rest('POST', '/v1/auth/initialize-user', { email: EMAIL })).body.userId;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
});

async function put(path: string, body: object): Promise<void> {
  const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
const pairOf = (seed: number, curve: CakPurpose['curve'] = 'secp256r1') =>
  deriveCak(new Uint8Array(32).fill(seed), { curve, holderDid: 'did:x:1', issuerDid: ISSUER_DID, schemaId: 'kyc' });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const register = (body: object) => gateway.rest('PUT', '/v1/holders/me/cak', { body, headers: holder });
const registered = (by: TestPartner, id = userId, schemaId = 'kyc') =>
  by.rest('GET', `/v1/holders/${id}/cak?issuerId=cak&schemaId=${schemaId}`);

describe('A CAK public key', () => {
  it('a CAK public key is read by partners of its issuer, and replaced by the next one', async () => {
    expect((await registered(partner)).status).toBe(404);
    const first = { ...PLACE, curve: 'secp256r1', publicKey: pairOf(1).publicKey };
    expect(await register({ ...first, publicKey: first.publicKey.toUpperCase() })).toMatchObject({ body: first });
    expect((await registered(partner)).body).toEqual(first);
    const second = { ...PLACE, curve: 'secp256k1', publicKey: pairOf(2, 'secp256k1').publicKey };
    await register(second);
    expect((await registered(partner)).body).toEqual(second);
    expect(await gateway.app.connection.collection('cakKeys').countDocuments()).toBe(1);
  });

  it('a CAK public key is read by its holder, for its issuer and schema', async () => {
    const key = { ...PLACE, curve: 'secp256k1', publicKey: pairOf(3, 'secp256k1').publicKey };
    await register(key);
    const own = (schemaId: string, headers = holder) =>
      gateway.rest('GET', `/v1/holders/me/cak?issuerId=cak&schemaId=${schemaId}`, { headers });
    expect((await own('kyc')).body).toEqual(key);
    expect((await own('plain')).status).toBe(404);
    const stranger = { authorization: `Bearer ${await logIn(gateway, partner, 'no-cak@example.org')}` };
    expect((await own('kyc', stranger)).status).toBe(404);
    const query = '{ ownCakKey(issuerId: "cak", schemaId: "kyc") { curve publicKey } }';
    const { data } = await gateway.gql(query, {}, holder);
    expect(data.ownCakKey).toEqual({ curve: 'SECP256K1', publicKey: key.publicKey });
  });

  it('a CAK public key is unknown to everyone else', async () => {
    await register({ ...PLACE, curve: 'secp256r1', publicKey: pairOf(1).publicKey });
    const answers = await Promise.all([
      registered(other),
      registered(partner, '00000000-0000-4000-8000-000000000000'),
      registered(partner, userId, 'plain'),
    ]);
    const unknown = { error: 404, message: 'There is no CAK of this holder for this issuer and schema.' };
    expect(answers.map(({ body }) => body)).toEqual([unknown, unknown, unknown]);
    const headers = { 'x-partner-auth': await partner.token({}, 'verify') };
    const path = `/v1/holders/${userId}/cak?issuerId=cak&schemaId=kyc`;
    expect((await gateway.rest('GET', path, { headers })).status).toBe(403);
  });

  it.each<[string, number, object]>([
    ['the private half', 400, { publicKey: hex(pairOf(1).privateKey) }],
    ['the private half as a member of its own', 400, { privateKey: hex(pairOf(1).privateKey) }],
    ['a point of the other curve alone', 400, { publicKey: pairOf(16, 'secp256k1').publicKey }],
    ['a number that is on no curve', 400, { publicKey: `02${'f'.repeat(64)}` }],
    ['an unknown curve', 400, { curve: 'ed25519' }],
    ['a key for a credential without CAK', 404, { schemaId: 'plain' }],
    ['a key for an unknown issuer', 404, { issuerId: 'nobody' }],
  ])('a text is no CAK public key: %s', async (_name, status, change) => {
    const answer = await register({ ...PLACE, curve: 'secp256r1', publicKey: pairOf(1).publicKey, ...change });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(hex(pairOf(1).privateKey));
  });

  it('a CAK public key is registered and read in GraphQL, too', async () => {
    const input = { ...PLACE, curve: 'SECP256R1', publicKey: pairOf(3).publicKey };
    const mutation = 'mutation ($input: RegisterCakInput!) { registerCak(input: $input) { cakKey { curve } } }';
    const { data } = await gateway.gql(mutation, { input }, holder);
    expect(data.registerCak.cakKey.curve).toBe('SECP256R1');
    const query = `{ cakKey(userId: "${userId}", issuerId: "cak", schemaId: "kyc") { curve publicKey } }`;
    const read = await gateway.gql(query, {}, { 'x-partner-auth': await partner.token() });
    expect(read.data.cakKey).toEqual({ curve: 'SECP256R1', publicKey: pairOf(3).publicKey });
  });
});

describe('A request to an issuer', () => {
  const issue = (more: object, headers: Record<string, string> = {}) =>
    gateway.rest('POST', '/v1/credentials/issue', { body: { ...PLACE, ...more }, headers: { ...holder, ...headers } });

  it.each(['secp256r1', 'secp256k1'] as const)('a request to an issuer passes on a key on %s', async (curve) => {
    asked = [];
    const { publicKey } = pairOf(5, curve);
    expect((await issue({ cakPublicKey: publicKey })).status).toBe(202);
    expect(asked).toMatchObject([{ schemaId: 'kyc', cakPublicKey: publicKey }]);
  });

  it('a request to an issuer without a key passes on none, and with another key it is another request', async () => {
    asked = [];
    expect((await issue({})).status).toBe(202);
    expect(asked[0]).not.toHaveProperty('cakPublicKey');
    const once = { 'idempotency-key': 'once' };
    expect((await issue({ cakPublicKey: pairOf(5).publicKey }, once)).status).toBe(202);
    expect((await issue({ cakPublicKey: pairOf(6).publicKey }, once)).status).toBe(422);
  });

  it('a request to an issuer, in a session that a link opened, passes on the registered key alone', async () => {
    const key = pairOf(8).publicKey;
    await register({ ...PLACE, curve: 'secp256r1', publicKey: key });
    const origin = 'https://linked.example';
    await allowOrigins(gateway, other.partnerId, [origin]);
    const link = await gateway.rest('POST', '/v1/auth/partner-link', { body: { url: `${origin}/` }, headers: holder });
    const redeemed = { code: link.body.code, partnerId: other.partnerId };
    const { token } = (await gateway.rest('POST', '/v1/auth/partner-link/redeem', { body: redeemed })).body;
    const linked = { authorization: `Bearer ${token}` };
    asked = [];
    expect((await issue({ cakPublicKey: pairOf(9).publicKey }, linked)).status).toBe(403);
    expect(asked).toEqual([]);
    expect((await issue({ cakPublicKey: key }, linked)).status).toBe(202);
    expect(asked).toMatchObject([{ cakPublicKey: key }]);
  });

  it('a request to an issuer with the private key is refused, and nobody receives it', async () => {
    asked = [];
    const secret = hex(pairOf(5).privateKey);
    for (const more of [{ cakPublicKey: secret }, { cakPrivateKey: secret }]) {
      const { status, body } = await issue(more);
      expect([status, JSON.stringify(body).includes(secret)]).toEqual([400, false]);
    }
    expect(asked).toEqual([]);
  });
});

it('a credential shows whether it has a CAK', async () => {
  const cakOf = async (id: string) => (await gateway.admin('GET', `/v1/admin/credentials/${id}`)).body.cak;
  expect([await cakOf('kyc'), await cakOf('plain')]).toEqual([true, false]);
});
