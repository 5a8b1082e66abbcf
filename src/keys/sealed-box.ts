// Secrets at rest: secrets that the gateway reads again are sealed under KEYSTORE_KEY; secrets that it only looks up are stored as keyed hashes.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** The field and the row of a sealed value. Both are authenticated, so the value cannot be moved to another row or field. */
export interface SealContext {
  what:
    | 'keystore'
    | 'signing-key'
    | 'zk-key'
    | 'nullifier-key'
    | 'holder-key'
    | 'holder-email'
    | 'partner-user-id'
    | 'mailbox'
    | 'api-key'
    | 'batch-row'
    | 'event'
    | 'idempotent-answer'
    | 'relayer-key'
    | 'webhook-secret'
    | 'wallet-response-key';
  /** Id of the row with the value. */
  whose: string;
}

/**
 * The purpose of a keyed hash. Each purpose has a key of its own, so hashes of one purpose reveal nothing about
 * another.
 */
export type BlindPurpose =
  | 'holder-email'
  | 'login-code'
  | 'idempotency-body'
  | 'rate-limit'
  | 'external-id'
  | 'offer-tx-code'
  | 'credential-nonce'
  | 'wallet-response-code';

/** Bytes of KEYSTORE_KEY. */
export const KEYSTORE_KEY_BYTES = 32;

const VERSION = 1;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES + IV_BYTES;

/** A sealed value that cannot be opened: another key, another context, or an invalid value. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';
}

interface SealKey {
  id: Buffer;
  key: Buffer;
  /** The root of the keys of keyed hashes. */
  root: Buffer;
  blindKeys: Map<BlindPurpose, Buffer>;
}

const derive = (root: Buffer, info: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), info, bytes));

function sealKeyOf(root: Buffer): SealKey {
  if (root.length !== KEYSTORE_KEY_BYTES) {
    throw new RangeError(`A key-store key has ${KEYSTORE_KEY_BYTES} bytes, this one has ${root.length}.`);
  }
  return {
    id: derive(root, 'seal-key-id', ID_BYTES),
    key: derive(root, 'seal-aes-256-gcm', 32),
    root: Buffer.from(root),
    blindKeys: new Map(),
  };
}

/** The id of the key under which a value is sealed, as bytes. */
const keyIdOf = (sealed: string): Buffer => Buffer.from(sealed, 'base64url').subarray(1, 1 + ID_BYTES);

// Each text is preceded by its length, so different contexts never have the same bytes.
const associatedData = (head: Buffer, { what, whose }: SealContext): Buffer =>
  Buffer.concat([head, Buffer.from(`${what.length}:${what}${whose.length}:${whose}`)]);

/**
 * The sealed box: AES-256-GCM (NIST SP 800-38D) and HMAC-SHA-256, with keys derived by HKDF (RFC 5869) from root keys of
 * 32 bytes. A sealed value is base64url of `version (1) | key id (4) | IV (12) | ciphertext | tag (16)`.
 */
export class SealedBox {
  #seals: readonly SealKey[];
  #current: SealKey | undefined;

  /**
   * @param current the key that seals and hashes, until `sealWith`; without one, sealing and hashing throw until `begin`.
   * @param others keys that only open values: the keys before a rotation.
   */
  constructor(current?: Buffer, others: readonly Buffer[] = []) {
    this.#seals = [...(current === undefined ? [] : [current]), ...others].map(sealKeyOf);
    this.#current = current && this.#seals[0];
  }

  /** Whether it has no key yet. */
  get isEmpty(): boolean {
    return this.#current === undefined;
  }

  /** Sets the key of an empty box. */
  begin(root: Buffer): void {
    this.#current = sealKeyOf(root);
    this.#seals = [this.#current, ...this.#seals];
  }

  get #sealing(): SealKey {
    if (this.#current === undefined) throw new UnsealError('There is no KEYSTORE_KEY yet.');
    return this.#current;
  }

  /** The ids of all keys, hex; the first is that of KEYSTORE_KEY. */
  get keyIds(): readonly string[] {
    return this.#seals.map(({ id }) => id.toString('hex'));
  }

  /** The id of the key that seals and hashes, hex. */
  get sealing(): string {
    return this.#sealing.id.toString('hex');
  }

  /** Selects the key that seals and hashes: in a rotation, all gateways use the store's key. @throws UnsealError for a key that is not configured. */
  sealWith(keyId: string): void {
    this.#current = this.#sealOf(keyId);
  }

  #sealOf(keyId: string): SealKey {
    const seal = this.#seals.find(({ id }) => id.toString('hex') === keyId);
    if (seal === undefined) throw new UnsealError('This key is not configured here.');
    return seal;
  }

  /** The id of the key that sealed a value, hex. */
  keyIdOf(sealed: string): string {
    return keyIdOf(sealed).toString('hex');
  }

  /** Seals bytes or text for one context. */
  seal(plaintext: Buffer | string, context: SealContext): string {
    return this.sealUnder(this.sealing, plaintext, context);
  }

  /** Seals under the key with this id. @throws UnsealError as `sealWith`. */
  sealUnder(keyId: string, plaintext: Buffer | string, context: SealContext): string {
    const { id, key } = this.#sealOf(keyId);
    const iv = randomBytes(IV_BYTES);
    const head = Buffer.concat([Buffer.from([VERSION]), id]);
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(head, context));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([head, iv, body, cipher.getAuthTag()]).toString('base64url');
  }

  /** Whether a value is sealed under the current key, by the key id in it. */
  isCurrent(sealed: string): boolean {
    return this.#sealing.id.equals(keyIdOf(sealed));
  }

  /** Whether `unseal` opens a value. */
  opens(sealed: string, context: SealContext): boolean {
    try {
      this.unseal(sealed, context);
      return true;
    } catch {
      return false;
    }
  }

  /** Opens what `seal` returned for the same context. @throws UnsealError if the key or the context differs. */
  unseal(sealed: string, context: SealContext): Buffer {
    const bytes = Buffer.from(sealed, 'base64url');
    const seal = this.#seals.find(({ id }) => id.equals(keyIdOf(sealed)));
    if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION || seal === undefined) {
      throw new UnsealError(`The sealed ${context.what} was not sealed under this KEYSTORE_KEY.`);
    }
    try {
      return open(bytes, seal.key, context);
    } catch (cause) {
      throw new UnsealError(`The sealed ${context.what} does not belong here or was changed.`, { cause });
    }
  }

  /** Opens a sealed text. @throws UnsealError as `unseal` does. */
  unsealText(sealed: string, context: SealContext): string {
    return this.unseal(sealed, context).toString('utf8');
  }

  /** Keyed hash of a value, base64url: equal values have equal hashes, and without the key guesses cannot be tested. */
  blindIndex(purpose: BlindPurpose, value: string | Buffer): string {
    return blindIndexOf(this.#sealing, purpose, value);
  }

  /** The keyed hashes of a value under every key, for look-ups during a rotation; the order is the same in all gateways. */
  blindIndexes(purpose: BlindPurpose, value: string | Buffer): string[] {
    return this.#seals.map((seal) => blindIndexOf(seal, purpose, value));
  }
}

function blindIndexOf({ root, blindKeys }: SealKey, purpose: BlindPurpose, value: string | Buffer): string {
  let key = blindKeys.get(purpose);
  if (key === undefined) {
    key = derive(root, `blind-index:${purpose}`, 32);
    blindKeys.set(purpose, key);
  }
  return createHmac('sha256', key).update(value).digest('base64url');
}

function open(bytes: Buffer, key: Buffer, context: SealContext): Buffer {
  const iv = bytes.subarray(1 + ID_BYTES, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(bytes.subarray(0, 1 + ID_BYTES), context));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
}

/** SHA-256 of a value, base64url: for secrets of high entropy (session ids, API keys), which need no key. */
export function digest(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('base64url');
}
