// A deployed issuer back end runs against the gateway unchanged, from the preview to the credential on the holder's device.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeployedIssuer, startDeployedIssuer } from '../support/deployed-issuer.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { decrypt } from '../support/holder-device.js';
import { logIn, registerPartner } from '../support/partner.js';

let gateway: TestGateway;
let issuer: DeployedIssuer;
let holder: Record<string, string>;
let device: ReturnType<typeof generateKeyPairSync>;

const start = async (env: Record<string, string> = {}) => {
  gateway = await startGateway({ env });
  issuer = await startDeployedIssuer(gateway);
  holder = { authorization: `Bearer ${await logIn(gateway, await registerPartner(gateway), 'holder@example.org')}` };
  device = generateKeyPairSync('x25519');
  const devicePublicKey = `0x${device.publicKey.export({ type: 'spki', format: 'der' }).toString('hex')}`;
  await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers: holder });
};
const stop = async () => {
  await issuer.close();
  await gateway.close();
};

const asHolder = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  gateway.rest(method, path, { body, headers: { ...holder, ...headers } });
const opened = (parts: Record<string, string>, key: string) =>
  JSON.parse(
    decrypt(createPrivateKey(device.privateKey.export({ type: 'pkcs8', format: 'pem' })), {
      ...parts,
      key,
    } as never).toString(),
  );

const MAIN = { HOLDER_DID_PREFIX: 'did:core:id:main:', HOLDER_DID_TYPE: '03d1' };

describe.each([
  ['the test network', {}],
  ['the main network', MAIN],
])('a deployed issuer back end of %s', (_network, env) => {
  beforeAll(() => start(env));
  afterAll(stop);

  it('a deployed issuer back end shows its previews, with 201', async () => {
    const { body } = await asHolder('GET', `/v1/credentials/available?issuerId=${issuer.issuerId}`);
    expect(body).toMatchObject({ items: [{ issuerId: issuer.issuerId, schemaId: issuer.schemaId }], unavailable: [] });
    const { encryptedData: data, dataEncPublicKey, ...rest } = body.items[0].credentialSubject;
    expect(opened({ data, ...rest }, dataEncPublicKey)).toEqual({ level: 3 });
  });

  it("a deployed issuer back end issues a claim about the holder, bound to the holder's signing key", async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    expect((await asHolder('PUT', '/v1/holders/me/signing-key', { jwk })).body).toEqual({ jwk });
    const request = { issuerId: issuer.issuerId, schemaId: issuer.schemaId, proofType: 'SD_JWT_VC' };
    const issued = await asHolder('POST', '/v1/credentials/issue', request, { 'idempotency-key': 'one' });
    expect(issued.status).toBe(202);
    expect(issuer.requests.at(-1)).toMatchObject({
      idempotencyKey: issued.body.requestId,
      body: { schemaId: issuer.schemaId, proofType: 'SD_JWT_VC', signingKey: { jwk } },
    });
    const { body: list } = await asHolder('GET', '/v1/holders/me/credentials');
    expect(list.items).toHaveLength(1);
    const { body } = await asHolder('GET', `/v1/holders/me/credentials/${list.items[0].id}`);
    const credential = opened(body, body.encryptedKey);
    expect(credential).toMatchObject({ level: 3, cnf: { jwk } });
    expect(issuer.requests.at(-1)?.body.holderDID.endsWith(`:${credential.subject}`)).toBe(true);
    expect(body.proofType).toBe('SD_JWT_VC');
  });
});

describe('a deployed issuer back end', () => {
  afterAll(stop);

  it('a deployed issuer back end fails for holders whose type is that of another network, and the holder gets 503', async () => {
    await start({ ...MAIN, HOLDER_DID_TYPE: '03d2' });
    const request = { issuerId: issuer.issuerId, schemaId: issuer.schemaId };
    const { status, body } = await asHolder('POST', '/v1/credentials/issue', request);
    expect([status, body.message]).toEqual([503, expect.stringContaining('answered HTTP 500')]);
  });
});
