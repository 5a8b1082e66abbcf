// Encryption to a holder (contract §4.2): ephemeral X25519, HKDF-SHA-256, AES-256-GCM. The gateway encrypts the
// credentials that it issues and the keys that it hands over; issuers that encrypt themselves use the same scheme.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { badInput } from '../base/errors.js';

/** A ciphertext package in the form of dstorage/vcs: every part in base64; `encryptedKey` is the ephemeral public key (SPKI DER). */
export interface Envelope {
  data: string;
  iv: string;
  authTag: string;
  encryptedKey: string;
}

const INFO = 'data-enc-aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SPKI_BYTES = 44;
/** SubjectPublicKeyInfo of X25519 up to the 32 key bytes (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b656e032100', 'hex');
const EMPTY_SALT = Buffer.alloc(0);
/**
 * Every encoding of a point of low order, with the unused top bit cleared. The shared secret with such a point is zero
 * (https://cr.yp.to/ecdh.html#validate).
 */
const LOW_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

/** Generates an X25519 key pair. */
export function generateX25519(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('x25519');
}

/** SPKI DER of an X25519 public key, or of the public half of a private one: 44 bytes. (OpenSSL takes 50 times as long to write it.) */
export function spkiOf(key: KeyObject): Buffer {
  const { x = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  return Buffer.concat([SPKI_HEAD, Buffer.from(x, 'base64url')]);
}

/** PKCS#8 DER of a private key. */
export function pkcs8Of(key: KeyObject): Buffer {
  return key.export({ type: 'pkcs8', format: 'der' });
}

/** Reads a private key from PKCS#8 DER. */
export function privateKeyFrom(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/**
 * Checks an X25519 public key, 44 bytes of SPKI DER. Points of low order are refused, because their shared secret is
 * known (RFC 7748 §6.1). @throws DomainError BAD_USER_INPUT naming `field`.
 */
function checkX25519(spki: Buffer, field: string): void {
  if (spki.length !== SPKI_BYTES || !spki.subarray(0, SPKI_HEAD.length).equals(SPKI_HEAD)) {
    throw badInput(`"${field}" must be an X25519 public key as SPKI DER, ${SPKI_BYTES} bytes.`, field);
  }
  const point = Buffer.from(spki.subarray(SPKI_HEAD.length));
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31);
  if (LOW_ORDER.has(point.toString('hex'))) {
    throw badInput(`"${field}" is a point of low order: nothing encrypted to it would be secret.`, field);
  }
}

/** Reads an X25519 public key from its SPKI DER. @throws DomainError BAD_USER_INPUT as `checkX25519`. */
export function x25519PublicKey(spki: Buffer, field: string): KeyObject {
  checkX25519(spki, field);
  return x25519Of(spki);
}

/** As a JWK (RFC 8037): OpenSSL takes ten times as long to read the DER. */
function x25519Of(spki: Buffer): KeyObject {
  const x = spki.toString('base64url', SPKI_HEAD.length);
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

/**
 * Reads a key in the hex form with 0x that the contract uses for `publicKey` and `devicePublicKey`. @throws as
 * x25519PublicKey.
 */
export function x25519FromHex(hex: string, field: string): KeyObject {
  if (!/^(0x)?[0-9a-fA-F]{88}$/.test(hex)) {
    throw badInput(`"${field}" must be an X25519 public key as SPKI DER in hex: 0x and 88 digits.`, field);
  }
  return x25519PublicKey(Buffer.from(hex.replace(/^0x/, ''), 'hex'), field);
}

/** The contract's hex form of a public key: 0x and its SPKI DER. */
export function publicKeyHex(spki: Buffer): string {
  return `0x${spki.toString('hex')}`;
}

/** On this thread: handing it to another one takes longer than the hash. */
const sharedKey = (privateKey: KeyObject, publicKey: KeyObject): Buffer =>
  Buffer.from(hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), EMPTY_SALT, INFO, 32));

/** Encrypts bytes to a holder's public key, with an ephemeral key pair (contract §4.2). */
export function encryptTo(recipient: KeyObject, plaintext: Buffer | string): Envelope {
  const ephemeral = generateX25519();
  const iv = randomBytes(IV_BYTES);
  const key = sharedKey(ephemeral.privateKey, recipient);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    data: data.toString('base64'),
    iv: iv.toString('base64'),
    authTag: cipher.getAuthTag().toString('base64'),
    encryptedKey: spkiOf(ephemeral.publicKey).toString('base64'),
  };
}

/** Decrypts an envelope with the holder's private key. @throws DomainError for an invalid structure, Error if it was modified. */
export async function decryptWith(privateKey: KeyObject, envelope: Envelope): Promise<Buffer> {
  const parts = checkEnvelope(envelope);
  const key = sharedKey(privateKey, x25519Of(parts.encryptedKey));
  const decipher = createDecipheriv('aes-256-gcm', key, parts.iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(parts.authTag);
  return Buffer.concat([decipher.update(parts.data), decipher.final()]);
}

/** An envelope's parts, decoded. */
export interface EnvelopeParts {
  data: Buffer;
  iv: Buffer;
  authTag: Buffer;
  /** The ephemeral public key, SPKI DER. */
  encryptedKey: Buffer;
}

/** Checks an envelope's structure without decrypting it (contract §4.3). @throws DomainError BAD_USER_INPUT naming the field. */
export function checkEnvelope(envelope: Envelope): EnvelopeParts {
  const data = strictBase64(envelope.data, 'data');
  if (data.length === 0) throw badInput('"data" must not be empty.', 'data');
  const encryptedKey = strictBase64(envelope.encryptedKey, 'encryptedKey');
  checkX25519(encryptedKey, 'encryptedKey');
  return {
    data,
    iv: sized(envelope.iv, IV_BYTES, 'iv'),
    authTag: sized(envelope.authTag, TAG_BYTES, 'authTag'),
    encryptedKey,
  };
}

/** Decodes base64 (RFC 4648 §4, padded, only the canonical spelling). @throws DomainError BAD_USER_INPUT naming `field`. */
export function strictBase64(text: string, field: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw badInput(`"${field}" must be base64 with its padding.`, field);
  return bytes;
}

function sized(text: string, bytes: number, field: string): Buffer {
  const decoded = strictBase64(text, field);
  if (decoded.length !== bytes) throw badInput(`"${field}" must have ${bytes} bytes; it has ${decoded.length}.`, field);
  return decoded;
}
