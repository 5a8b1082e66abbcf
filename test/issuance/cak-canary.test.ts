// The private half of a CAK stays with the holder: it is derived beside a gateway that is asked for all it does with the public half, and
// is sent to it by mistake in every way; then it is looked for in the data file, the log and the errors.
import { createDecipheriv, createECDH, hkdfSync, randomBytes, createCipheriv } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { deriveCak } from '../../src/zk/cak.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn, registerPartner } from '../support/partner.js';
import { storedText } from '../support/stored-text.js';

const gateway = new GatewayProcess({ LOG_LEVEL: 'debug' });
afterAll(() => gateway.remove());

const ISSUER_DID = 'did:web:canary.example';
const INFO = 'cak-enc-aes-256-gcm';

/** The forms in which a key might lie in a file or a line. */
const formsOf = (key: Buffer): string[] => [
  key.toString('hex'),
  key.toString('hex').toUpperCase(),
  key.toString('base64').replace(/=+$/, ''),
  key.toString('base64url'),
  key.toString('latin1'),
];

const keyOf = (secret: Buffer) => Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), INFO, 32));

/** What an issuer does with the public half: ECIES as in §4.2, on the key's curve. */
function encryptTo(publicKey: string, text: string) {
  const ephemeral = createECDH('prime256v1');
  ephemeral.generateKeys();
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ephemeral.computeSecret(publicKey, 'hex')), iv);
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  return { data, iv, tag: cipher.getAuthTag(), ephemeral: ephemeral.getPublicKey() };
}

it("a CAK's private key is stored nowhere, and the public one is enough for issuer and verifier", async () => {
  await gateway.start();
  const put = async (path: string, body: object) =>
    expect((await gateway.admin('PUT', `/v1/admin/${path}`, { body })).status).toBe(200);
  await put('issuers/canary', { name: 'C', issuerFrom: 'x', issuerDid: ISSUER_DID, issueVcUrl: 'http://127.0.0.1:1/' });
  await put('schemas/canary', { title: 'c', description: '', dataPoints: [{ name: 'note', type: 'string' }] });
  const credential = { name: 'C', category: 'c', issuerId: 'canary', schemaId: 'canary', cak: true };
  await put('credentials/canary', credential);
  const partner = await registerPartner(gateway.asGateway, [ISSUER_DID]);
  const session = await logIn(gateway.asGateway, partner, 'canary@example.org');
  const headers = { authorization: `Bearer ${session}` };
  const { body: me } = await gateway.rest('GET', '/v1/holders/me', { headers });

  const accountKey = randomBytes(32);
  const purpose = { curve: 'secp256r1', holderDid: 'did:x:1', issuerDid: ISSUER_DID, schemaId: 'canary' } as const;
  const { privateKey, publicKey } = deriveCak(accountKey, purpose);
  const secret = Buffer.from(privateKey);
  const hex = secret.toString('hex');
  const place = { issuerId: 'canary', schemaId: 'canary' };
  const body = { ...place, curve: 'secp256r1', publicKey };
  const send = (method: string, path: string, sent: object) => gateway.rest(method, path, { body: sent, headers });
  expect((await send('PUT', '/v1/holders/me/cak', body)).status).toBe(200);
  const errors: string[] = [];
  const mistakes: [string, string, object][] = [
    ['PUT', '/v1/holders/me/cak', { ...body, publicKey: hex }],
    ['PUT', '/v1/holders/me/cak', { ...body, privateKey: hex }],
    ['POST', '/v1/credentials/issue', { ...place, cakPublicKey: hex }],
    ['POST', '/v1/credentials/issue', { ...place, cakPrivateKey: hex }],
  ];
  for (const [method, path, sent] of mistakes) {
    const answer = await send(method, path, sent);
    expect(answer.status).toBe(400);
    errors.push(JSON.stringify(answer.body));
  }

  const path = `/v1/holders/${me.user.id}/cak?issuerId=canary&schemaId=canary`;
  const sealed = encryptTo((await partner.rest('GET', path)).body.publicKey, 'for the verifier');
  const verifier = createECDH('prime256v1');
  verifier.setPrivateKey(secret);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(verifier.computeSecret(sealed.ephemeral)), sealed.iv);
  decipher.setAuthTag(sealed.tag);
  expect(Buffer.concat([decipher.update(sealed.data), decipher.final()]).toString()).toBe('for the verifier');
  await gateway.stop('SIGTERM');

  const data = await storedText(gateway.dataDir);
  for (const key of [secret, accountKey])
    for (const form of formsOf(key)) {
      expect(data.includes(form), `${form} in the data file`).toBe(false);
      expect(gateway.output.includes(form), `${form} in the log`).toBe(false);
      expect(errors.join('\n').includes(form), `${form} in an error`).toBe(false);
    }
  // The search itself can find something: the public half is there.
  expect(data.includes(publicKey)).toBe(true);
});
