// The keys of an offer (contract §34): whoever has its code or its state can read the subject, and the store alone cannot. Only hashes and
// ciphertexts are stored.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NO_SALT = Buffer.alloc(0);

/** A secret of 256 bits, base64url. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** How a secret is stored and found: SHA-256, hex. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), NO_SALT, purpose, SECRET_BYTES));

/** The pre-authorized code of an offer, from the token in its address. */
export const codeOf = (token: string): string => derive(token, 'offer-code').toString('base64url');

/** The `issuer_state` of an offer, from the token in its address: it opens the page alone. Wallets put it into addresses, which are logged. */
export const stateOf = (token: string): string => derive(token, 'offer-state').toString('base64url');

/** Wraps the key of an offer's subject under its code or its state. */
export const wrapSubjectKey = (secret: string, key: Buffer, offerId: string): string =>
  seal(derive(secret, 'offer-subject'), key, offerId);

/** The key of an offer's subject, from its code or its state. */
export const subjectKeyOf = (secret: string, wrapped: string, offerId: string): Buffer =>
  open(derive(secret, 'offer-subject'), wrapped, offerId);

/** A random key that seals a subject. */
export const newSubjectKey = (): Buffer => randomBytes(SECRET_BYTES);

/** The key that seals what a login with this code led to, for a repeat by whoever has the secret of its page. */
export const repeatKeyOf = (secret: string, code: string): Buffer => derive(secret, `repeated-login ${hashOf(code)}`);

/** The key that seals what was typed on a page, from the page's secret. */
export const inputKeyOf = (secret: string): Buffer => derive(secret, 'page-input');

/** The authorization code of a page that ends then: the same for a second click. */
export const authorizationCodeOf = (secret: string, ends: Date): string =>
  derive(secret, `authorization-code ${ends.toISOString()}`).toString('base64url');

/** The key under which a given-out secret wraps another key. */
const wrappingKeyOf = (secret: string): Buffer => derive(secret, 'wrap-subject-key');

/** A hash of a subject that only who has the secret can compare with a guess; hex. */
export const subjectHash = (secret: string, subject: unknown): string =>
  createHmac('sha256', secret).update(JSON.stringify(subject)).digest('hex');

/** Whether this key opens what `seal` returned. */
export function opens(key: Buffer, sealed: string | undefined, about: string): boolean {
  if (sealed === undefined) return false;
  try {
    open(key, sealed, about);
    return true;
  } catch {
    return false;
  }
}

/** Seals bytes under a key: IV, ciphertext, tag; base64url. `about` is bound to them. */
export function seal(key: Buffer, plaintext: Buffer | string, about: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(about));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Opens what `seal` returned. @throws Error for another key or other bound text. */
export function open(key: Buffer, sealed: string, about: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
}

/** Wraps a subject's key under a secret that is given out next: an access token, for one. */
export const wrap = (secret: string, key: Buffer, about: string): string => seal(wrappingKeyOf(secret), key, about);

/** The key that a secret wraps. */
export const unwrap = (secret: string, wrapped: string, about: string): Buffer =>
  open(wrappingKeyOf(secret), wrapped, about);
