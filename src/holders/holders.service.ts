// Holders: one for each e-mail address, with a permanent DID and an X25519 key to which credentials are encrypted (contract §4.1, §4.5).
import { randomUUID } from 'node:crypto';
import type { HolderCaller } from '../base/caller.js';
import { isDuplicateKey } from '../base/duplicate-key.js';
import { badInput, DomainError } from '../base/errors.js';
import { type DidDocument, holderDidDocument, newIden3Id } from '../keys/did.js';
import { encryptTo, generateX25519, pkcs8Of, publicKeyHex, spkiOf, x25519FromHex } from '../keys/holder-encryption.js';
import { type P256Jwk, p256Jwk, privateMemberOf } from '../keys/public-jwk.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { CoreIdRow, HolderModels, HolderPartnerRow, HolderRow } from './models.js';

export { emailText } from './email.js';
export type { HolderRow } from './models.js';

/** A holder with a key, so that credentials can be encrypted to it. */
export interface Recipient {
  userId: string;
  did: string;
  /** X25519, SPKI DER, hex with 0x. */
  publicKey: string;
  status: 'new' | 'existing';
}

/** A private key encrypted to a device (contract §4.5), all parts base64. */
export interface WrappedKey {
  encryptedData: string;
  iv: string;
  authTag: string;
  dataEncPublicKey: string;
}

/** The response to a device that takes over or registers the holder's key. */
export interface KeyHandOver {
  did: string;
  publicKey: string;
  wrappedKey: WrappedKey | null;
}

/** The client SDK's CoreUserDetails, with the fields that the gateway has. */
export interface HolderDetails {
  partnerId?: string;
  partnerUserId?: string;
  coreId?: CoreIdRow;
  user: { id: string; abstractAccountAddress?: string; email: string; isMFASetup: boolean };
}

export interface HoldersOptions {
  models: HolderModels;
  box: SealedBox;
  /** The prefix of DIDs: `did:core:id:testnet:`. */
  didPrefix: string;
  /** Type of the iden3 id in a new DID, 2 bytes. */
  didType: Uint8Array;
  clock(): number;
}

/** Holder records and keys. */
export class Holders {
  constructor(private readonly options: HoldersOptions) {}

  /** The holder of a canonical address. Creates the holder if there is none, and a key if it has none. */
  async recipient(email: string): Promise<Recipient> {
    const { holder, isNew } = await this.provision(email, true);
    const withKey = holder.publicKey === null ? await this.#giveKey(holder) : holder;
    return recipientOf(withKey, isNew ? 'new' : 'existing');
  }

  /** The holder with this id and a key, or undefined. */
  async recipientById(userId: string): Promise<Recipient | undefined> {
    const holder = await this.byId(userId);
    if (holder === undefined) return undefined;
    return recipientOf(holder.publicKey === null ? await this.#giveKey(holder) : holder, 'existing');
  }

  /** The holder of an address, created if there is none: with a key of ours, or without one, if a device will register its own. */
  async provision(email: string, withKey: boolean): Promise<{ holder: HolderRow; isNew: boolean }> {
    const { models, box } = this.options;
    const emailHash = box.blindIndex('holder-email', email);
    const existing = await models.holders.findOne({ emailHash }).lean<HolderRow>();
    if (existing !== null) return { holder: existing, isNew: false };
    const holder = this.#make(email, emailHash, withKey);
    try {
      await models.holders.create([holder]);
      return { holder, isNew: true };
    } catch (error) {
      const winner = isDuplicateKey(error) ? await models.holders.findOne({ emailHash }).lean<HolderRow>() : null;
      if (winner === null) throw error;
      return { holder: winner, isNew: false };
    }
  }

  /** A holder's row, or undefined. */
  async byId(userId: string): Promise<HolderRow | undefined> {
    return (await this.options.models.holders.findById(userId).lean<HolderRow>()) ?? undefined;
  }

  /** The row of the holder with a canonical address, or undefined. */
  async byEmail(email: string): Promise<HolderRow | undefined> {
    const emailHash = this.options.box.blindIndex('holder-email', email);
    return (await this.options.models.holders.findOne({ emailHash }).lean<HolderRow>()) ?? undefined;
  }

  /** A holder's row by its DID, or undefined. */
  async byDid(did: string): Promise<HolderRow | undefined> {
    return (await this.options.models.holders.findOne({ did }).lean<HolderRow>()) ?? undefined;
  }

  /** The id of the holder with this DID, or undefined. */
  async holderIdOf(did: string): Promise<string | undefined> {
    return (await this.byDid(did))?._id;
  }

  /** A holder's DID document with the current key. @throws DomainError NOT_FOUND. */
  async didDocument(did: string): Promise<DidDocument> {
    const holder = await this.byDid(did);
    if (holder === undefined) throw new DomainError('NOT_FOUND', 'There is no holder with this DID.');
    return holderDidDocument(
      did,
      holder.publicKey === null ? undefined : Buffer.from(holder.publicKey.slice(2), 'hex'),
    );
  }

  /** The address of a holder, unsealed. */
  emailOf(holder: HolderRow): string {
    return this.options.box.unsealText(holder.sealedEmail, { what: 'holder-email', whose: holder._id });
  }

  /** A holder's own details. @throws DomainError NOT_FOUND. */
  async details(caller: HolderCaller): Promise<HolderDetails> {
    const holder = await this.own(caller);
    const { _id: id, abstractAccountAddress, coreId } = holder;
    return {
      ...(caller.partnerId === undefined ? {} : { partnerId: caller.partnerId }),
      ...(caller.partnerUserId === undefined ? {} : { partnerUserId: caller.partnerUserId }),
      ...(coreId ? { coreId } : {}),
      user: {
        id,
        ...(abstractAccountAddress ? { abstractAccountAddress } : {}),
        email: this.emailOf(holder),
        isMFASetup: false,
      },
    };
  }

  /**
   * Hands the holder's private key over, encrypted to its device, and destroys our copy; registers the device's own key for a
   * holder that has none. @throws DomainError BAD_USER_INPUT (devicePublicKey), GONE when we have no key to hand over any more.
   */
  async handOverKey(caller: HolderCaller, devicePublicKey: string): Promise<KeyHandOver> {
    const device = x25519FromHex(devicePublicKey, 'devicePublicKey');
    const holder = await this.own(caller);
    if (holder.publicKey === null) return this.#setKey(holder, publicKeyHex(spkiOf(device)));
    if (holder.sealedPrivateKey === null) throw handedOver();
    const pkcs8 = this.options.box.unseal(holder.sealedPrivateKey, { what: 'holder-key', whose: holder._id });
    const { data, iv, authTag, encryptedKey } = await encryptTo(device, pkcs8);
    pkcs8.fill(0);
    await this.#setKey(holder, holder.publicKey);
    const wrappedKey = { encryptedData: data, iv, authTag, dataEncPublicKey: encryptedKey };
    return { did: holder.did, publicKey: holder.publicKey, wrappedKey };
  }

  /** Sets another public key for later credentials, after a device was lost. Those encrypted to the old key stay unreadable. */
  async rotateKey(caller: HolderCaller, devicePublicKey: string): Promise<KeyHandOver> {
    const device = x25519FromHex(devicePublicKey, 'devicePublicKey');
    const { models, clock } = this.options;
    const publicKey = publicKeyHex(spkiOf(device));
    const change = { publicKey, sealedPrivateKey: null, updatedAt: new Date(clock()) };
    const holder = await this.own(caller);
    await models.holders.updateOne({ _id: holder._id }, { $set: change });
    return { did: holder.did, publicKey, wrappedKey: null };
  }

  /**
   * Registers the holder's signing key, in place of an earlier one; issuers bind credentials to it (contract §6).
   * @throws DomainError BAD_USER_INPUT for anything but a P-256 public key.
   */
  async setSigningKey(caller: HolderCaller, jwk: Readonly<Record<string, unknown>>): Promise<P256Jwk> {
    const member = privateMemberOf(jwk);
    if (member !== undefined) throw badInput(`"jwk" holds the private member "${member}"; send the public key.`, 'jwk');
    const signingKey = p256Jwk(jwk);
    if (signingKey === undefined)
      throw badInput('"jwk" must be a P-256 public key: kty EC, crv P-256, x and y.', 'jwk');
    const { models, clock } = this.options;
    const change = { signingKey, updatedAt: new Date(clock()) };
    const { matchedCount } = await models.holders.updateOne({ _id: caller.holderId }, { $set: change });
    if (matchedCount === 0) throw noHolder();
    return signingKey;
  }

  /** The key that the holder registered for signing, or undefined. */
  async signingKeyOf(holderId: string): Promise<P256Jwk | undefined> {
    return (await this.byId(holderId))?.signingKey;
  }

  /** Stores the partner's own id for a holder. */
  async rememberPartnerUser(holderId: string, partnerId: string, partnerUserId: string): Promise<void> {
    const whose = `${holderId} ${partnerId}`;
    const sealedPartnerUserId = this.options.box.seal(partnerUserId, { what: 'partner-user-id', whose });
    await this.#join(holderId, partnerId, { sealedPartnerUserId });
  }

  /** The partner's own id for a holder, or undefined. */
  async partnerUserIdOf(holderId: string, partnerId: string): Promise<string | undefined> {
    const row = await this.#joined(holderId, partnerId);
    if (row?.sealedPartnerUserId === undefined) return undefined;
    return this.options.box.unsealText(row.sealedPartnerUserId, { what: 'partner-user-id', whose: row._id });
  }

  /** A holder's decision about a partner; undefined without one. */
  async consentOf(holderId: string, partnerId: string): Promise<'accepted' | 'declined' | undefined> {
    return (await this.#joined(holderId, partnerId))?.consent;
  }

  /** Accepts or declines a partner. A declined partner cannot issue to this holder (contract §5). */
  async setConsent(caller: HolderCaller, partnerId: string, consent: 'accepted' | 'declined'): Promise<void> {
    await this.#join(caller.holderId, partnerId, { consent });
  }

  /** The caller's own row. @throws DomainError NOT_FOUND. */
  async own(caller: HolderCaller): Promise<HolderRow> {
    const holder = await this.byId(caller.holderId);
    if (holder === undefined) throw noHolder();
    return holder;
  }

  #make(email: string, emailHash: string, withKey: boolean): HolderRow {
    const { box, didPrefix, didType, clock } = this.options;
    const _id = randomUUID();
    const at = new Date(clock());
    const key = withKey ? this.#makeKey(_id) : { publicKey: null, sealedPrivateKey: null };
    const sealedEmail = box.seal(email, { what: 'holder-email', whose: _id });
    return {
      _id,
      emailHash,
      sealedEmail,
      did: didPrefix + newIden3Id(didType),
      ...key,
      createdAt: at,
      updatedAt: at,
    };
  }

  #makeKey(holderId: string): { publicKey: string; sealedPrivateKey: string } {
    const { publicKey, privateKey } = generateX25519();
    const sealedPrivateKey = this.options.box.seal(pkcs8Of(privateKey), { what: 'holder-key', whose: holderId });
    return { publicKey: publicKeyHex(spkiOf(publicKey)), sealedPrivateKey };
  }

  /** If two requests create a key at the same time, the first one wins, and both return it. */
  async #giveKey(holder: HolderRow): Promise<HolderRow> {
    const { models, clock } = this.options;
    const change = { ...this.#makeKey(holder._id), updatedAt: new Date(clock()) };
    await models.holders.updateOne({ _id: holder._id, publicKey: null }, { $set: change });
    return (await this.byId(holder._id)) ?? holder;
  }

  /** Sets the public key and destroys our copy of the private one, if nothing has changed since the row was read. */
  async #setKey(holder: HolderRow, publicKey: string): Promise<KeyHandOver> {
    const { models, clock } = this.options;
    const unchanged = { _id: holder._id, publicKey: holder.publicKey, sealedPrivateKey: holder.sealedPrivateKey };
    const change = { publicKey, sealedPrivateKey: null, updatedAt: new Date(clock()) };
    const { matchedCount } = await models.holders.updateOne(unchanged, { $set: change });
    if (matchedCount === 0) throw handedOver();
    return { did: holder.did, publicKey, wrappedKey: null };
  }

  async #joined(holderId: string, partnerId: string): Promise<HolderPartnerRow | null> {
    return this.options.models.holderPartners.findById(`${holderId} ${partnerId}`).lean<HolderPartnerRow>();
  }

  async #join(holderId: string, partnerId: string, fields: Partial<HolderPartnerRow>): Promise<void> {
    const { models, clock } = this.options;
    const _id = `${holderId} ${partnerId}`;
    const change = { $set: { ...fields, updatedAt: new Date(clock()) }, $setOnInsert: { holderId, partnerId } };
    const join = () => models.holderPartners.updateOne({ _id }, change, { upsert: true });
    await join().catch((error: unknown) => {
      if (isDuplicateKey(error)) return join();
      throw error;
    });
  }
}

function recipientOf({ _id, did, publicKey }: HolderRow, status: Recipient['status']): Recipient {
  return { userId: _id, did, publicKey: publicKey ?? '', status };
}

function noHolder(): DomainError {
  return new DomainError('NOT_FOUND', 'There is no such holder any more.');
}

function handedOver(): DomainError {
  return new DomainError(
    'GONE',
    'The key was handed over already; our copy is destroyed. A lost device: rotate the key.',
  );
}
