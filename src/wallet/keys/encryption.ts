// Encryption in the wallet, with WebCrypto: AES-256-GCM, and decryption of what is encrypted to a holder's X25519 key
// (contract §4.2).
import { x25519 } from '@noble/curves/ed25519.js';
import { fromBase64, toBase64, utf8 } from './bytes.js';
import { derived } from './hkdf.js';

const AES = 'AES-GCM';
const IV_BYTES = 12;

/** A ciphertext with its tag at the end, and its initialization vector, in base64. */
export interface Sealed {
  data: string;
  iv: string;
}

const aesKey = (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', bytes, AES, false, ['encrypt', 'decrypt']);

/** Encrypts bytes under a key of 32 bytes. */
export async function seal(
  key: Uint8Array<ArrayBuffer>,
  plain: Uint8Array<ArrayBuffer>,
  additional = '',
): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: AES, iv, additionalData: utf8(additional) };
  const data = await crypto.subtle.encrypt(algorithm, await aesKey(key), plain);
  return { data: toBase64(new Uint8Array(data)), iv: toBase64(iv) };
}

/** Decrypts; undefined if the key or the additional data is different, or the bytes were changed. */
export async function unseal(
  key: Uint8Array<ArrayBuffer>,
  { data, iv }: Sealed,
  additional = '',
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const algorithm = { name: AES, iv: fromBase64(iv), additionalData: utf8(additional) };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, await aesKey(key), fromBase64(data)));
  } catch {
    return undefined;
  }
}

/** The bytes of SubjectPublicKeyInfo and PKCS #8 of X25519 (RFC 8410) that precede the 32 bytes of a key. */
const SPKI = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0x00];
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20];
const KEY_BYTES = 32;

/** The public key that belongs to a private key, as SPKI. */
export const spkiOf = (privateKey: Uint8Array): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...SPKI, ...x25519.getPublicKey(privateKey)]);

/** The 32 bytes of a private key as PKCS #8; undefined for another kind of key. */
export function privateKeyOf(pkcs8: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const isOurs = pkcs8.length === PKCS8.length + KEY_BYTES && PKCS8.every((byte, at) => byte === pkcs8[at]);
  return isOurs ? pkcs8.slice(PKCS8.length) : undefined;
}

/** A ciphertext for a holder, all parts base64; `encryptedKey` is the ephemeral public key as SPKI. */
export interface Envelope extends Sealed {
  authTag: string;
  encryptedKey: string;
}

/** Decrypts an envelope with a private key; undefined if it is encrypted to another key, or damaged. */
export async function openEnvelope(
  privateKey: Uint8Array,
  { data, iv, authTag, encryptedKey }: Envelope,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const shared = x25519.getSharedSecret(privateKey, fromBase64(encryptedKey).slice(SPKI.length));
    const key = await derived(Uint8Array.from(shared), 'data-enc-aes-256-gcm');
    const whole = Uint8Array.from([...fromBase64(data), ...fromBase64(authTag)]);
    return await unseal(key, { data: toBase64(whole), iv });
  } catch {
    return undefined;
  }
}
