// The keys of a holder (contract §4.5): hands over the key that the gateway created, and registers keys of the holder's own.
import type { KeyObject } from 'node:crypto';
import type { HolderCaller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { encryptTo, publicKeyHex, spkiOf, x25519FromHex } from '../keys/holder-encryption.js';
import { type P256Jwk, p256Jwk, privateMemberOf } from '../keys/public-jwk.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { erasedHolder, type Holders } from './holders.service.js';
import type { KeyHandOver } from './key-types.js';
import type { HolderModels, HolderRow } from './models.js';
import type { SecondFactor } from './second-factor.service.js';

/** How long a hand-over can be repeated. */
const REPEATABLE_MS = 30 * 86_400_000;

export interface HolderKeysParts {
  models: HolderModels;
  holders: Holders;
  secondFactor: SecondFactor;
  box: SealedBox;
  clock(): number;
}

/** Hands over and registers keys. */
export class HolderKeys {
  constructor(private readonly parts: HolderKeysParts) {}

  /**
   * Hands the holder's private key over, encrypted to its device, and destroys the gateway's copy; registers the
   * device's key for a holder without one. For 30 days, the same device gets the same response again, because the first
   * one may be lost.
   * @throws DomainError BAD_USER_INPUT (devicePublicKey), GONE if the key was handed over otherwise; MFA_REQUIRED for a session that a link opened.
   */
  async handOver(caller: HolderCaller, devicePublicKey: string): Promise<KeyHandOver> {
    const device = x25519FromHex(devicePublicKey, 'devicePublicKey');
    const deviceHex = publicKeyHex(spkiOf(device));
    const { holders, secondFactor } = this.parts;
    await secondFactor.requireOwnLogin(caller, 'handOverKey');
    const holder = await holders.own(caller);
    const first = await this.#firstFor(holder, device, deviceHex);
    if (first !== undefined && (await this.#write(holder, deviceHex, first))) return first;
    return this.#repeat(holder, deviceHex);
  }

  /** The hand-over of a holder whose key the gateway has, or who has no key; undefined for other holders. */
  async #firstFor(holder: HolderRow, device: KeyObject, deviceHex: string): Promise<KeyHandOver | undefined> {
    const { did, publicKey, sealedPrivateKey } = holder;
    if (publicKey === null) return { did, publicKey: deviceHex, wrappedKey: null };
    if (sealedPrivateKey === null) return undefined;
    const pkcs8 = this.parts.box.unseal(sealedPrivateKey, { what: 'holder-key', whose: holder._id });
    const { data, iv, authTag, encryptedKey } = encryptTo(device, pkcs8);
    pkcs8.fill(0);
    return { did, publicKey, wrappedKey: { encryptedData: data, iv, authTag, dataEncPublicKey: encryptedKey } };
  }

  /** Destroys the gateway's copy and stores the response, in one transaction. @returns false if the key was changed meanwhile */
  #write(holder: HolderRow, devicePublicKey: string, { publicKey, wrappedKey }: KeyHandOver): Promise<boolean> {
    const { models, clock } = this.parts;
    const { _id } = holder;
    const unchanged = { _id, publicKey: holder.publicKey, sealedPrivateKey: holder.sealedPrivateKey };
    const now = clock();
    const change = { publicKey, sealedPrivateKey: null, updatedAt: new Date(now) };
    const handOver = { devicePublicKey, publicKey, wrappedKey, expiresAt: new Date(now + REPEATABLE_MS) };
    return models.holders.db.transaction(async (session) => {
      const { matchedCount } = await models.holders.updateOne(unchanged, { $set: change }, { session });
      if (matchedCount === 0) return false;
      await models.keyHandOvers.updateOne({ _id }, { $set: handOver }, { session, upsert: true });
      return true;
    });
  }

  async #repeat({ _id, did }: HolderRow, deviceHex: string): Promise<KeyHandOver> {
    const { models, clock } = this.parts;
    const row = await models.keyHandOvers.findById(_id).lean();
    if (row?.devicePublicKey !== deviceHex || row.expiresAt.getTime() <= clock()) throw handedOver();
    return { did, publicKey: row.publicKey, wrappedKey: row.wrappedKey };
  }

  /**
   * Registers a new public key after the loss of a device. Later credentials are encrypted to it; earlier ones stay unreadable.
   * @throws DomainError BAD_USER_INPUT (devicePublicKey), MFA_REQUIRED.
   */
  async rotate(caller: HolderCaller, devicePublicKey: string): Promise<KeyHandOver> {
    const device = x25519FromHex(devicePublicKey, 'devicePublicKey');
    const { models, holders, secondFactor, clock } = this.parts;
    await secondFactor.require(caller, 'rotateKey');
    const publicKey = publicKeyHex(spkiOf(device));
    const change = { publicKey, sealedPrivateKey: null, updatedAt: new Date(clock()) };
    const holder = await holders.own(caller);
    await models.holders.updateOne({ _id: holder._id }, { $set: change });
    return { did: holder.did, publicKey, wrappedKey: null };
  }

  /**
   * Registers the holder's signing key, replacing an earlier one; issuers bind credentials to it (contract §6).
   * @throws DomainError BAD_USER_INPUT for anything but a P-256 public key, MFA_REQUIRED.
   */
  async setSigningKey(caller: HolderCaller, jwk: Readonly<Record<string, unknown>>): Promise<P256Jwk> {
    const member = privateMemberOf(jwk);
    if (member !== undefined) throw badInput(`"jwk" holds the private member "${member}"; send the public key.`, 'jwk');
    const signingKey = p256Jwk(jwk);
    if (signingKey === undefined)
      throw badInput('"jwk" must be a P-256 public key: kty EC, crv P-256, x and y.', 'jwk');
    const { models, secondFactor, clock } = this.parts;
    await secondFactor.require(caller, 'setSigningKey');
    const change = { signingKey, updatedAt: new Date(clock()) };
    const { matchedCount } = await models.holders.updateOne({ _id: caller.holderId }, { $set: change });
    if (matchedCount === 0) throw erasedHolder();
    return signingKey;
  }
}

function handedOver(): DomainError {
  return new DomainError(
    'GONE',
    "The key was already handed over, and the gateway's copy is destroyed. If the device is lost, rotate the key.",
  );
}
