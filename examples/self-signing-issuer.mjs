// An issuer that signs its credentials itself, with jose, node:crypto and the WASM module alone (docs/proofs.md, "Signing for yourself").
// The gateway stores what it cannot read, and holders prove conditions on it as on credentials that the gateway signed.
import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import wasm from '@docknetwork/crypto-wasm';
import { CompactSign, generateKeyPair } from 'jose';

const SUITE = 'core-bbs-1';
const LABEL = new TextEncoder().encode(SUITE);
const parametersOf = (messages) => wasm.bbsGenerateSignatureParams(messages, LABEL);

/** RFC 8785: members in the order of their UTF-16 code units. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

function base58(bytes) {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = alphabet[Number(number % 58n)] + text;
  return text;
}

function integer(value) {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64LE(value);
  return new Uint8Array(bytes);
}

const tagged = (tag, text) => wasm.encodeMessageForSigningInConstantTime(new TextEncoder().encode(`${tag}\0${text}`));

/** The 64 bits of a double, in the order of values. */
function ordered(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const bits = bytes.readBigUInt64BE();
  return integer(bits >> 63n ? ~bits & 0xffffffffffffffffn : bits | (1n << 63n));
}

const MESSAGES = {
  number: ordered,
  date: (value) => ordered(Date.parse(value)),
  boolean: (value) => integer(value ? 1n : 0n),
  text: (value) => tagged('text', value.normalize('NFC')),
  json: (value) => tagged('json', canonical(value)),
};

const messageOf = ({ name, family }, subject) =>
  subject[name] === undefined ? tagged('absent', '') : MESSAGES[family](subject[name]);

/** Contract §4.2: X25519, HKDF-SHA-256, AES-256-GCM. `publicKey` is a holder's, as initialize-user returns it. */
function encrypt(plaintext, publicKey) {
  const recipient = createPublicKey({ key: Buffer.from(publicKey.slice(2), 'hex'), format: 'der', type: 'spki' });
  const ephemeral = generateKeyPairSync('x25519');
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient });
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    data: data.toString('base64'),
    iv: iv.toString('base64'),
    authTag: cipher.getAuthTag().toString('base64'),
    encryptedKey: ephemeral.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

/** Makes an issuer with a DID key and a BBS key of its own. `zkKey` belongs into its record; `sign` makes a body of POST /v1/dstorage/vcs. */
export async function selfSigningIssuer(did) {
  await wasm.initializeWasm();
  const secretKey = wasm.bbsGenerateSigningKey();
  const publicKey = wasm.bbsGeneratePublicKey(secretKey, parametersOf(1));
  const kid = createHash('sha256').update(publicKey).digest('base64url');
  const { privateKey } = await generateKeyPair('ES256');
  return {
    did,
    zkKey: { kid, publicKeyMultibase: `z${base58(Uint8Array.from([0xeb, 0x01, ...publicKey]))}` },
    sign: (signing) => signedBody({ did, kid, secretKey, privateKey }, signing),
  };
}

/** `points` are those of GET /v1/schemas/{id}/versions/{n}/encoding; `holder` is what initialize-user returns. */
async function signedBody({ did, kid, secretKey, privateKey }, signing) {
  const { credentialId, schemaId, schemaVersion, points, holder, credentialSubject, expiresAt = null } = signing;
  const revocationNonce = randomBytes(8).readBigUInt64BE().toString();
  const coreClaim = {
    v: 1,
    issuerDid: did,
    holderDid: holder.did,
    credentialId,
    schemaId,
    credentialSubject,
    expiresAt,
    revocationNonce,
    salt: randomBytes(16).toString('hex'),
  };
  const coreClaimHash = createHash('sha256').update(canonical(coreClaim)).digest('hex');

  // For proofs: one BBS signature over a header and the data points, in their order.
  const header = tagged('header', canonical({ suite: SUITE, coreClaimHash, schemaId, schemaVersion }));
  const messages = [header, ...points.map((point) => messageOf(point, credentialSubject))];
  const signature = wasm.bbsSign(messages, secretKey, parametersOf(messages.length), false);
  const zk = { suite: SUITE, schemaId, schemaVersion, kid, signature: Buffer.from(signature).toString('base64url') };

  // For everybody else: a W3C credential as a JWS.
  const document = {
    '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
    type: ['VerifiableCredential'],
    issuer: did,
    iss: did,
    credentialSubject: { id: holder.did, ...credentialSubject },
    credentialStatus: { type: 'CoreRevocation', revocationNonce },
  };
  const vc = await new CompactSign(new TextEncoder().encode(JSON.stringify(document)))
    .setProtectedHeader({ alg: 'ES256', kid: `${did}#key-0`, typ: 'vc+jwt', cty: 'vc' })
    .sign(privateKey);

  return {
    holderDid: holder.did,
    proofType: 'JWT_VC',
    schemaId,
    expiresAt,
    ...encrypt(JSON.stringify({ vc, coreClaim, zk }), holder.publicKey),
    externalId: randomBytes(8).toString('hex'),
    claim: { issuerDid: did, credentialId, schemaVersion, coreClaimHash, revocationNonce },
  };
}
