// Nullifiers and keyed hashes (contract §16): verifications can be counted and found without storing the holder. One
// key, created once across all processes and sealed under KEYSTORE_KEY; it never changes, because the counts depend on
// it.
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import { ignoreDuplicate } from '../../base/mongodb/duplicate-key.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import type { NullifierKeyRow, VerificationModels } from './models.js';

const ID = 'nullifiers';
const BYTES = 32;

interface Keys {
  nullifier: Buffer;
  holder: Buffer;
  claim: Buffer;
}

/** Computes nullifiers, and keyed hashes of holders and claims. */
export class Nullifiers {
  #keys: Promise<Keys> | undefined;

  constructor(
    private readonly models: Pick<VerificationModels, 'nullifierKeys'>,
    private readonly box: SealedBox,
  ) {}

  /** HMAC-SHA-256 of RFC 8785 `[programId, userId]`, 64 hex digits: the same for a program and a holder, unlinkable between programs. */
  async nullifier(programId: string, holderId: string): Promise<string> {
    return hmac((await this.#all()).nullifier, canonicalize([programId, holderId]) ?? '');
  }

  /** The keyed hash of a holder, by which its records are found; 64 hex digits. */
  async holderKey(holderId: string): Promise<string> {
    return hmac((await this.#all()).holder, holderId);
  }

  /** The keyed hashes of claims, in the same order, by which their records are found; 64 hex digits each. */
  async claimKeys(hashes: readonly string[]): Promise<string[]> {
    const { claim } = await this.#all();
    return hashes.map((hash) => hmac(claim, hash));
  }

  #all(): Promise<Keys> {
    this.#keys ??= this.#read();
    this.#keys.catch(() => {
      this.#keys = undefined;
    });
    return this.#keys;
  }

  /** If two processes create the key at the same time, the first is stored, and all use it. */
  async #read(): Promise<Keys> {
    const { nullifierKeys } = this.models;
    const context = { what: 'nullifier-key', whose: ID } as const;
    if (!(await nullifierKeys.exists({ _id: ID }))) {
      const sealed = this.box.seal(randomBytes(BYTES), context);
      const first = nullifierKeys.updateOne({ _id: ID }, { $setOnInsert: { sealed } }, { upsert: true });
      await first.catch(ignoreDuplicate);
    }
    const row = await nullifierKeys.findById(ID).readConcern('majority').lean<NullifierKeyRow>();
    if (row === null) throw new Error('the nullifier key is gone');
    const key = this.box.unseal(row.sealed, context);
    return { nullifier: key, holder: derived(key, 'holder'), claim: derived(key, 'claim') };
  }
}

const hmac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex');
const derived = (key: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `core/verification/${info}`, BYTES));
