// A partner's back end and a holder's device against a sandbox: node examples/issue-and-read.mjs [address] [data folder].
// Only jose, node:crypto and fetch: what a partner would write in any language.
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomUUID,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';

const [address = 'http://127.0.0.1:4000', dataDir = './data'] = process.argv.slice(2);
const operator = { 'x-admin-api-key': readFileSync(`${dataDir}/operator.key`, 'utf8').trim() };

async function call(method, path, { body, headers } = {}) {
  const answer = await fetch(address + path, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    body: body && JSON.stringify(body),
  });
  const json = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${json.message}`);
  return json;
}

function show(step, value) {
  console.log(`\n${step}\n${JSON.stringify(value, null, 2)}`);
}

/** Contract §4.2: X25519, HKDF-SHA-256, AES-256-GCM. */
function decrypt(privateKey, { data, iv, authTag, key }) {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey, publicKey });
  const aes = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
  const decipher = createDecipheriv('aes-256-gcm', aes, Buffer.from(iv, 'base64'));
  decipher.setAuthTag(Buffer.from(authTag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]);
}

// The operator registers the partner with its public key, for a managed issuer of the sample catalog.
const { issuerDid } = await call('GET', '/v1/admin/issuers/lumen-university', { headers: operator });
const partnerId = randomUUID();
const keys = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' };
const partner = {
  name: 'Campus portal',
  jwks: { keys: [jwk] },
  scopes: ['issue'],
  issuerDids: [issuerDid],
  issueOnBehalf: true,
  allowedOrigins: [],
  requireTyp: true,
};
await call('PUT', `/v1/admin/partners/${partnerId}`, { headers: operator, body: partner });
const token = (claims) =>
  new SignJWT({ partnerId, scope: 'issue', ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'key-1' })
    .setExpirationTime('5m')
    .sign(keys.privateKey);

// The partner's back end issues, with nobody present.
const email = `ada.${partnerId.slice(0, 8)}@example.org`;
const credentialSubject = { degree: 'MSc', field: 'Astronomy', conferredOn: '2026-06-30', honours: true };
const issued = await call('POST', '/v1/credentials/issue-on-behalf', {
  headers: { 'x-partner-auth': await token(), 'idempotency-key': randomUUID() },
  body: { issuerDid, credentialId: 'degree-lumen', credentialSubject, email },
});
show('issued', issued);
show('status, for anyone', await call('GET', `/v1/credentials/status?coreClaimHash=${issued.coreClaimHash}`));

// The holder logs in with the mailed code (the sandbox keeps the mail) and takes the private key to a device.
const { loginId } = await call('POST', '/v1/auth/login', { headers: { 'x-partner-auth': await token({ email }) } });
const { messages } = await call('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`, { headers: operator });
const session = await call('POST', '/v1/auth/verify', { body: { loginId, code: messages.at(-1).code } });
const holder = { authorization: `Bearer ${session.token}` };
const device = generateKeyPairSync('x25519');
const devicePublicKey = `0x${device.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
const { wrappedKey } = await call('POST', '/v1/holders/me/key', { headers: holder, body: { devicePublicKey } });
const pkcs8 = decrypt(device.privateKey, {
  data: wrappedKey.encryptedData,
  iv: wrappedKey.iv,
  authTag: wrappedKey.authTag,
  key: wrappedKey.dataEncPublicKey,
});
const holderKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });

// Only the holder can read what was issued.
const { items } = await call('GET', '/v1/holders/me/credentials', { headers: holder });
const stored = await call('GET', `/v1/holders/me/credentials/${items[0].id}`, { headers: holder });
const { vc } = JSON.parse(decrypt(holderKey, { ...stored, key: stored.encryptedKey }));
show('read by the holder', decodeJwt(vc).credentialSubject);
show(
  'revoked',
  await call('POST', '/v1/credentials/revoke', {
    headers: { 'x-partner-auth': await token() },
    body: { coreClaimHash: issued.coreClaimHash },
  }),
);
