// The operations on keys in the worker: creates, stores, backs up and uses them. Each use decrypts them anew; only
// signatures, public keys and decrypted contents leave the worker.

import { x25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';
import type {
  CakPair,
  CakPurpose,
  ExplainedClaim,
  ExplainedRequest,
  Explanation,
  ProofTerms,
  Proven,
  SignedClaim,
} from '../../zk/holder.js';
import {
  type Backup,
  type BackupSecrets,
  type Keys,
  newRecoveryCode,
  openBackup,
  readBackup,
  readRecoveryCode,
  recoveryProofOf,
  type Way,
  withWay,
  writeBackup,
} from './backup.js';
import { fromBase64, fromHex, randomBytes, toBase64, toHex } from './bytes.js';
import { type Envelope, openEnvelope, privateKeyOf, spkiOf } from './encryption.js';
import type { HolderStore } from './key-store.js';

/** The stored content. */
export interface StoredKeys extends Keys, BackupSecrets {
  /** Whether the gateway has the backup, the holder key and the account. */
  isRegistered: boolean;
}

/** The holder whose keys an operation uses. */
export interface Owner {
  holderId: string;
  did: string;
}

/** A way into a backup, as the frame has it: a typed recovery code, or a passkey's id and key, in base64. */
export type TypedWay = { code: string } | { id: string; wrapKey: string };

/** The facts about the keys in this browser that the frame may see. */
export interface KeysHere {
  /** Address of the account key, in lower case. */
  owner: string;
  isRegistered: boolean;
}

/** A private key that the gateway hands over, encrypted to the newest holder key (contract §4.5). */
export interface WrappedKey {
  encryptedData: string;
  iv: string;
  authTag: string;
  dataEncPublicKey: string;
}

/** The methods of the worker, for the frame. */
export interface VaultMethods {
  /** The keys of a holder in this browser; null if there are none. */
  here(holderId: string): Promise<KeysHere | null>;
  /** Takes keys up for ways into their backup, which nothing stores yet: new ones, or a holder's in this browser. */
  begin(holderId: string | null): Promise<void>;
  /** Adds a way into the backup of the keys that were taken up. Without one, a new recovery code. @returns the code, only this once. */
  addWay(way?: TypedWay): Promise<string>;
  /** Stores the keys that were taken up. */
  keep(holderId: string): Promise<void>;
  /** The backup of the keys in this browser, and the key to which new credentials are encrypted (SPKI, hex). */
  backup(owner: Owner): Promise<{ backup: Backup; devicePublicKey: string }>;
  /**
   * Compares a backup with the keys in this browser and adds the backup's keys to them: the backup has all of them, has
   * a part of them, or is encrypted under another key.
   */
  adopt(owner: Owner, backup: Backup): Promise<'whole' | 'part' | 'other'>;
  /** Restores keys from a backup; false if the way does not open it. */
  restore(owner: Owner, backup: Backup, way: TypedWay): Promise<boolean>;
  /** The recovery proof that is in this browser; null if it is not. */
  recoveryProof(holderId: string): Promise<string | null>;
  /** The proof of a recovery code as it was typed; null if it is none. */
  proofOf(code: string): Promise<string | null>;
  /** Whether a public holder key (Multikey, as in DID documents) belongs to a key in this browser. */
  hasHolderKey(holderId: string, multibase: string): Promise<boolean>;
  /** Adds the key that the gateway handed over. */
  takeOver(holderId: string, wrapped: WrappedKey): Promise<void>;
  /** Adds a new holder key, before the others. */
  addHolderKey(holderId: string): Promise<void>;
  setRegistered(holderId: string): Promise<void>;
  /** Signs a hash with the account key: 65 bytes r, s, v in hex. */
  sign(holderId: string, hash: string): Promise<`0x${string}`>;
  /** Decrypts an envelope with any of the holder's keys; null if none of them fits. */
  decrypt(holderId: string, envelope: Envelope): Promise<string | null>;
  /** The public key of a CAK (contract §17). */
  cak(holderId: string, purpose: CakPurpose): Promise<string>;
  /** The private key of a CAK, in hex. Only for a verifier to whom the holder has agreed to disclose it. */
  cakPrivateKey(holderId: string, purpose: CakPurpose): Promise<string>;
  /** Which conditions of a request a claim meets. @param now ms since 1970 UTC */
  explain(request: ExplainedRequest, claim: ExplainedClaim, now: number): Promise<Explanation[]>;
  /** Proves a signed claim. */
  prove(terms: ProofTerms, claim: SignedClaim, signature: string): Promise<Proven>;
  /** The claims of a credential if its issuer's signature is valid; otherwise null. */
  signedClaims(vc: string, issuerDid: string): Promise<Record<string, unknown> | null>;
  /** Loads the library of proofs. */
  loadProver(): Promise<void>;
  forget(): Promise<void>;
}

const prover = () => import('../../zk/holder.js');

/** The keys of one partner's users in this browser. */
export class Vault implements VaultMethods {
  readonly #store: HolderStore<StoredKeys>;
  #begun: StoredKeys | undefined;

  constructor(store: HolderStore<StoredKeys>) {
    this.#store = store;
  }

  async here(holderId: string): Promise<KeysHere | null> {
    const keys = await this.#store.read(holderId);
    return keys ? { owner: addressOf(keys), isRegistered: keys.isRegistered } : null;
  }

  async begin(holderId: string | null): Promise<void> {
    this.#begun = holderId === null ? newKeys() : await this.#read(holderId);
  }

  async addWay(typed: TypedWay = { code: newRecoveryCode() }): Promise<string> {
    const keys = there(this.#begun);
    this.#begun = { ...keys, ...(await withWay(keys, there(wayOf(typed)))) };
    return 'code' in typed ? typed.code : '';
  }

  async keep(holderId: string): Promise<void> {
    await this.#store.write(holderId, there(this.#begun));
    this.#begun = undefined;
  }

  async backup({ holderId, did }: Owner): Promise<{ backup: Backup; devicePublicKey: string }> {
    const keys = await this.#read(holderId);
    const devicePublicKey = `0x${toHex(spkiOf(newestKey(keys)))}`;
    return { backup: await writeBackup(keys, keys, did), devicePublicKey };
  }

  async adopt({ holderId, did }: Owner, backup: Backup): Promise<'whole' | 'part' | 'other'> {
    const keys = await this.#read(holderId);
    const backedUp = await readBackup(backup, keys.backupKey, did);
    if (backedUp === undefined) return 'other';
    // Keys that only this browser has are newer than those in the backup.
    const added = keys.holderKeys.filter((key) => !backedUp.holderKeys.includes(key));
    const holderKeys = [...added, ...backedUp.holderKeys];
    const { wraps, recoveryProofHash } = backup;
    // Another browser may have made another recovery code.
    const recoveryProof = recoveryProofHash === keys.recoveryProofHash ? keys.recoveryProof : undefined;
    const ways = { wraps, recoveryProofHash, recoveryProof };
    await this.#store.write(holderId, { ...keys, accountKey: backedUp.accountKey, holderKeys, ...ways });
    return added.length === 0 ? 'whole' : 'part';
  }

  async restore({ holderId, did }: Owner, backup: Backup, typed: TypedWay): Promise<boolean> {
    const way = wayOf(typed);
    const secrets = way && (await openBackup(backup, way));
    if (secrets === undefined) return false;
    const keys = await readBackup(backup, secrets.backupKey, did);
    if (keys === undefined) return false;
    await this.#store.write(holderId, { ...keys, ...secrets, isRegistered: false });
    return true;
  }

  async recoveryProof(holderId: string): Promise<string | null> {
    return (await this.#read(holderId)).recoveryProof ?? null;
  }

  async proofOf(code: string): Promise<string | null> {
    const bytes = readRecoveryCode(code);
    return bytes ? recoveryProofOf(bytes) : null;
  }

  async hasHolderKey(holderId: string, multibase: string): Promise<boolean> {
    const { holderKeys } = await this.#read(holderId);
    return holderKeys.some((key) => multibase === multikeyOf(x25519.getPublicKey(fromBase64(key))));
  }

  async takeOver(holderId: string, { encryptedData: data, iv, authTag, dataEncPublicKey }: WrappedKey): Promise<void> {
    const keys = await this.#read(holderId);
    const envelope = { data, iv, authTag, encryptedKey: dataEncPublicKey };
    const pkcs8 = await openEnvelope(newestKey(keys), envelope);
    const key = pkcs8 && privateKeyOf(pkcs8);
    if (key === undefined) throw new Error('the gateway handed over no key');
    const holderKeys = [...new Set([...keys.holderKeys, toBase64(key)])];
    await this.#store.write(holderId, { ...keys, holderKeys });
  }

  async addHolderKey(holderId: string): Promise<void> {
    const keys = await this.#read(holderId);
    await this.#store.write(holderId, { ...keys, holderKeys: [toBase64(randomBytes(32)), ...keys.holderKeys] });
  }

  async setRegistered(holderId: string): Promise<void> {
    await this.#store.write(holderId, { ...(await this.#read(holderId)), isRegistered: true });
  }

  async sign(holderId: string, hash: string): Promise<`0x${string}`> {
    const { accountKey } = await this.#read(holderId);
    const options = { prehash: false, lowS: true, format: 'recovered' } as const;
    const [recovery = 0, ...rs] = secp256k1.sign(fromHex(hash), fromBase64(accountKey), options);
    return `0x${toHex(Uint8Array.from([...rs, 27 + recovery]))}`;
  }

  async decrypt(holderId: string, envelope: Envelope): Promise<string | null> {
    const { holderKeys } = await this.#read(holderId);
    for (const key of holderKeys) {
      const plain = await openEnvelope(fromBase64(key), envelope);
      if (plain !== undefined) return new TextDecoder().decode(plain);
    }
    return null;
  }

  async cak(holderId: string, purpose: CakPurpose): Promise<string> {
    return (await this.#cak(holderId, purpose)).publicKey;
  }

  async cakPrivateKey(holderId: string, purpose: CakPurpose): Promise<string> {
    return toHex((await this.#cak(holderId, purpose)).privateKey);
  }

  async #cak(holderId: string, purpose: CakPurpose): Promise<CakPair> {
    const { accountKey } = await this.#read(holderId);
    return (await prover()).deriveCak(fromBase64(accountKey), purpose);
  }

  async explain(request: ExplainedRequest, claim: ExplainedClaim, now: number): Promise<Explanation[]> {
    return (await prover()).explain(request, claim, now);
  }

  async prove(terms: ProofTerms, claim: SignedClaim, signature: string): Promise<Proven> {
    const suite = await (await prover()).loadSuite();
    return suite.prove(terms, { claim, signature: fromBase64(signature) });
  }

  async signedClaims(vc: string, issuerDid: string): Promise<Record<string, unknown> | null> {
    const { signedClaims } = await import('./issuer-signature.js');
    return signedClaims(vc, issuerDid) ?? null;
  }

  async loadProver(): Promise<void> {
    await (await prover()).loadSuite();
  }

  async forget(): Promise<void> {
    this.#begun = undefined;
    await this.#store.forget();
  }

  async #read(holderId: string): Promise<StoredKeys> {
    return there(await this.#store.read(holderId));
  }
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no keys');
  return value;
}

/** New keys, whose backup nothing opens yet. */
function newKeys(): StoredKeys {
  return {
    accountKey: toBase64(secp256k1.utils.randomSecretKey()),
    holderKeys: [toBase64(randomBytes(32))],
    backupKey: toBase64(randomBytes(32)),
    ...{ wraps: [], isRegistered: false },
  };
}

/** The bytes of a way; undefined if its recovery code is none. */
function wayOf(typed: TypedWay): Way | undefined {
  if ('id' in typed) return { id: typed.id, wrapKey: fromBase64(typed.wrapKey) };
  const code = readRecoveryCode(typed.code);
  return code && { code };
}

const newestKey = ({ holderKeys: [newest = ''] }: Keys): Uint8Array<ArrayBuffer> => fromBase64(newest);

/** Multicodec of X25519 public keys. */
const X25519_PUB = [0xec, 0x01];
const multikeyOf = (publicKey: Uint8Array): string =>
  `z${base58.encode(Uint8Array.from([...X25519_PUB, ...publicKey]))}`;

/** The address of the account key. */
function addressOf({ accountKey }: Keys): string {
  const publicKey = secp256k1.getPublicKey(fromBase64(accountKey), false);
  return `0x${toHex(keccak_256(publicKey.subarray(1)).subarray(12))}`;
}
