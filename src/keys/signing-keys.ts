// Signing keys: the gateway's own ES256 key (session tokens, receipts), those of managed issuers and of verifiers, and that of the sandbox's
// certificate authority. Each is created once across all processes, stored sealed, and rotated by generation. Public keys stay published, so all signatures
// stay verifiable.

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { type CompactJWSHeaderParameters, calculateJwkThumbprint, type JWK } from 'jose';
import type { ClientSession } from 'mongoose';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import type { KeyModels, SigningKeyRow } from './models.js';
import type { SealedBox } from './sealed-box.js';

/** The owner of keys: the gateway, a managed issuer, a verifier, or the sandbox's certificate authority. */
export type KeyOwner = 'gateway' | 'sandbox-ca' | `issuer:${string}` | `verifier:${string}`;

/** A key that can sign. */
export interface Signer {
  kid: string;
  publicJwk: JWK;
  /** Compact JWS (RFC 7515) with ES256; `kid` and `alg` are set; `header` adds members and may replace `kid`. */
  sign(payload: Uint8Array | string, header?: Omit<CompactJWSHeaderParameters, 'alg'>): Promise<string>;
  /** The ES256 signature of a text (RFC 7518 §3.4), base64url. */
  signText(text: string): string;
  /** The pair for WebCrypto, which signs certificates; the private key cannot be exported from it. */
  webCryptoKeys(): Promise<webcrypto.CryptoKeyPair>;
}

interface OwnerKeys {
  /** Undefined while the owner has no key. */
  signer: Signer | undefined;
  /** Newest first. */
  publicJwks: JWK[];
  publicKeys: Map<string, KeyObject>;
  readAt: number;
}

/** How long a process may sign with the generation that it read last. A stale one is harmless, because all public keys stay published. */
const MAX_AGE_MS = 10_000;
/** Minimum interval between reads for an unknown `kid`, whose key another process may have created. */
const MIN_AGE_MS = 1_000;
/** Owners whose unsealed keys are cached. */
const MAX_OWNERS = 1_000;

const generate = promisify(generateKeyPair);

/** The public JWK of a stored key, with the members that verifiers check. */
export function publicJwkOf(row: Pick<SigningKeyRow, 'kid' | 'x' | 'y'>): JWK {
  return { kty: 'EC', crv: 'P-256', x: row.x, y: row.y, kid: row.kid, alg: 'ES256', use: 'sig' };
}

const encoded = (part: Uint8Array | string): string => Buffer.from(part as Uint8Array).toString('base64url');

async function webCryptoKeysOf(privateKey: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
}

/** Creates, reads and rotates signing keys. */
export class SigningKeys {
  readonly #cache = new Map<string, Promise<OwnerKeys>>();

  constructor(
    private readonly models: KeyModels,
    private readonly box: SealedBox,
    private readonly clock: () => number = Date.now,
  ) {}

  /**
   * The owner's current key. The gateway's own key is created if there is none; all processes get the same one.
   * @throws Error for an issuer without a key (`ensure` creates one).
   */
  async signer(owner: KeyOwner): Promise<Signer> {
    const { signer } = await this.#keysOf(owner, MAX_AGE_MS);
    if (signer === undefined) throw new Error(`${owner} has no signing key`);
    return signer;
  }

  /** All public keys of an owner as a JSON Web Key Set, newest first (RFC 7517); none for an issuer without keys. */
  async jwks(owner: KeyOwner): Promise<{ keys: JWK[] }> {
    return { keys: (await this.#keysOf(owner, MIN_AGE_MS)).publicJwks };
  }

  /** The owner's public key with this id, or undefined. */
  async publicKey(owner: KeyOwner, kid: string): Promise<KeyObject | undefined> {
    const publicKey = (await this.#keysOf(owner, MAX_AGE_MS)).publicKeys.get(kid);
    return publicKey ?? (await this.#keysOf(owner, MIN_AGE_MS)).publicKeys.get(kid);
  }

  /**
   * Creates the owner's first key if there is none and returns its public JWK. Pass the session of a transaction to create the key as part of it.
   */
  async ensure(owner: KeyOwner, session?: ClientSession): Promise<JWK> {
    const rows = await this.#rows(owner, session);
    return publicJwkOf(rows[0] ?? (await this.#insert(owner, 1, session)));
  }

  /** All keys of an owner that can sign, newest first; none for an owner without keys. Reads the store. */
  async signers(owner: KeyOwner): Promise<Signer[]> {
    return (await this.#rows(owner)).map((row) => this.#signerOf(row));
  }

  /**
   * Creates the next generation; earlier public keys stay published. Returns the new public JWK. Pass the session of a transaction to create it
   * as part of that.
   */
  async rotate(owner: KeyOwner, session?: ClientSession): Promise<JWK> {
    const [newest] = await this.#rows(owner, session);
    const row = await this.#insert(owner, (newest?.generation ?? 0) + 1, session);
    this.#cache.delete(owner);
    return publicJwkOf(row);
  }

  async #keysOf(owner: KeyOwner, maxAge: number): Promise<OwnerKeys> {
    const cached = this.#cache.get(owner);
    if (cached !== undefined) {
      const keys = await cached;
      if (this.clock() - keys.readAt < maxAge) return keys;
      // Another caller may have started a read while this one waited.
      const current = this.#cache.get(owner);
      if (current !== undefined && current !== cached) return current;
    }
    return this.#remember(owner, this.#read(owner));
  }

  #remember(owner: KeyOwner, reading: Promise<OwnerKeys>): Promise<OwnerKeys> {
    if (this.#cache.size >= MAX_OWNERS) this.#cache.delete(this.#cache.keys().next().value ?? '');
    this.#cache.set(owner, reading);
    reading.catch(() => {
      if (this.#cache.get(owner) === reading) this.#cache.delete(owner);
    });
    return reading;
  }

  async #read(owner: KeyOwner): Promise<OwnerKeys> {
    const readAt = this.clock();
    let rows = await this.#rows(owner);
    if (rows.length === 0 && owner === 'gateway') rows = [await this.#insert(owner, 1)];
    const [newest] = rows;
    const publicJwks = rows.map(publicJwkOf);
    return {
      signer: newest && this.#signerOf(newest),
      publicJwks,
      publicKeys: new Map(publicJwks.map((key) => [key.kid ?? '', createPublicKey({ key, format: 'jwk' })])),
      readAt,
    };
  }

  #rows(owner: KeyOwner, session?: ClientSession): Promise<SigningKeyRow[]> {
    return this.models.signingKeys
      .find({ owner })
      .sort({ generation: -1 })
      .session(session ?? null)
      .lean<SigningKeyRow[]>()
      .exec();
  }

  // An upsert instead of an insert, because a duplicate key would abort the caller's transaction.
  async #insert(owner: KeyOwner, generation: number, session?: ClientSession): Promise<SigningKeyRow> {
    const row = await this.#make(owner, generation);
    const { _id, ...fields } = row;
    try {
      await this.models.signingKeys.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true, session });
    } catch (error) {
      if (session !== undefined || !isDuplicateKey(error)) throw error;
    }
    const stored = await this.models.signingKeys
      .findById(_id)
      .session(session ?? null)
      .lean<SigningKeyRow>()
      .exec();
    if (stored === null) throw new Error(`The signing key ${_id} was written but does not exist.`);
    return stored;
  }

  async #make(owner: KeyOwner, generation: number): Promise<SigningKeyRow> {
    const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const _id = `${owner}#${generation}`;
    const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y });
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
    const sealedPrivateKey = this.box.seal(pkcs8, { what: 'signing-key', whose: _id });
    return { _id, owner, generation, kid, x, y, sealedPrivateKey, createdAt: new Date(this.clock()) };
  }

  #signerOf(row: SigningKeyRow): Signer {
    const key = this.box.unseal(row.sealedPrivateKey, { what: 'signing-key', whose: row._id });
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const signText = (text: string): string =>
      sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return {
      kid: row.kid,
      publicJwk: publicJwkOf(row),
      // On this thread: handing the text to another one takes longer than the signature (docs/decisions/0092).
      async sign(payload, header) {
        const text = `${encoded(JSON.stringify({ kid: row.kid, ...header, alg: 'ES256' }))}.${encoded(payload)}`;
        return `${text}.${signText(text)}`;
      },
      signText,
      webCryptoKeys: () => webCryptoKeysOf(privateKey),
    };
  }
}
