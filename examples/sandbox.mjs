// What the examples share: a partner's back end and a holder's device against a sandbox, with nothing but jose, node:crypto and fetch.
// Every example takes the address (or the variable GATEWAY) and the data folder (or DATA_DIR) of the sandbox: node examples/<name>.mjs [address] [data folder].
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
import { basename, relative } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const { GATEWAY = 'http://127.0.0.1:4000', DATA_DIR = './data' } = process.env;
export const [address = GATEWAY, dataDir = DATA_DIR] = process.argv.slice(2);

function end(sentence) {
  console.error(sentence);
  process.exit(1);
}

const endUnreached = () =>
  end(`No gateway responds at ${address}: start one with npm start, or set GATEWAY to the address of another.`);

function operatorKey() {
  const file = `${dataDir}/operator.key`;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return end(
      `${file} cannot be read: set DATA_DIR to the data folder of the gateway at ${address}, or give both: node ${relative('', process.argv[1] ?? '')} ${address} <data folder>`,
    );
  }
}

await fetch(`${address}/health/live`).catch(endUnreached);
const operator = { 'x-admin-api-key': operatorKey() };

export async function call(method, path, { body, headers } = {}) {
  const answer = await fetch(address + path, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    body: body && JSON.stringify(body),
  }).catch(endUnreached);
  const json = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) end(`The gateway refused ${method} ${path}: ${json.message}`);
  return json;
}

/** Writes a catalog record, as the operator. */
export const put = (path, body) => call('PUT', `/v1/admin/${path}`, { headers: operator, body });

export function show(step, value) {
  console.log(`\n${step}\n${JSON.stringify(value, null, 2)}`);
}

/** Contract §4.2: X25519, HKDF-SHA-256, AES-256-GCM. */
export function decrypt(privateKey, { data, iv, authTag, key }) {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey, publicKey });
  const aes = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
  const decipher = createDecipheriv('aes-256-gcm', aes, Buffer.from(iv, 'base64'));
  decipher.setAuthTag(Buffer.from(authTag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]);
}

/** The operator registers a partner with its public key, for a managed issuer of the sample catalog. `token` makes its partner tokens. */
export async function registerPartner(issuerId, { scopes, ...more }) {
  const { issuerDid } = await call('GET', `/v1/admin/issuers/${issuerId}`, { headers: operator });
  const partnerId = randomUUID();
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' };
  const body = {
    name: `Example ${basename(process.argv[1] ?? '')}`,
    jwks: { keys: [jwk] },
    scopes,
    issuerDids: [issuerDid],
    issueOnBehalf: true,
    allowedOrigins: [],
    requireTyp: true,
    ...more,
  };
  await call('PUT', `/v1/admin/partners/${partnerId}`, { headers: operator, body });
  const token = (scope, claims = {}) =>
    new SignJWT({ partnerId, scope, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'key-1' })
      .setExpirationTime('5m')
      .sign(keys.privateKey);
  return { partnerId, issuerDid, token };
}

/** The last code that was mailed to an address. */
export async function mailedCode(email) {
  const path = `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`;
  const { messages } = await call('GET', path, { headers: operator });
  return messages.at(-1).code;
}

/** The holder logs in with the mailed code (the sandbox keeps the mail) and takes the private key to a device. */
export async function logIn(partner, email) {
  const partnerAuth = { 'x-partner-auth': await partner.token('issue', { email }) };
  const { loginId } = await call('POST', '/v1/auth/login', { headers: partnerAuth });
  const session = await call('POST', '/v1/auth/verify', { body: { loginId, code: await mailedCode(email) } });
  const headers = { authorization: `Bearer ${session.token}` };
  const device = generateKeyPairSync('x25519');
  const devicePublicKey = `0x${device.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
  const { wrappedKey } = await call('POST', '/v1/holders/me/key', { headers, body: { devicePublicKey } });
  const pkcs8 = decrypt(device.privateKey, {
    data: wrappedKey.encryptedData,
    iv: wrappedKey.iv,
    authTag: wrappedKey.authTag,
    key: wrappedKey.dataEncPublicKey,
  });
  return { headers, key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }) };
}

/** A stored credential, which only its holder can read. */
export async function readStored({ headers, key }, id) {
  const stored = await call('GET', `/v1/holders/me/credentials/${id}`, { headers });
  return JSON.parse(decrypt(key, { ...stored, key: stored.encryptedKey }));
}

/** The record of a verification once the chain has the claim and the proof; undefined without a chain, where it stays Pending. */
export async function closedRecord(partner, verificationId) {
  for (let calls = 0; calls < 4; calls += 1) {
    const headers = { 'x-partner-auth': await partner.token('verify') };
    const record = await call('GET', `/v1/verifications/${verificationId}?wait=15`, { headers });
    if (record.state === 'closed') return record;
  }
  return undefined;
}
