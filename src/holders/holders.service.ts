// Holders: one for each e-mail address, with a permanent DID and an X25519 key to which credentials are encrypted (contract §4.1, §4.5).
import type { ClientSession } from 'mongoose';
import { ANONYMOUS, type Caller, type HolderCaller, type PartnerCaller } from '../base/callers/caller.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { badInput, DomainError } from '../base/errors.js';
import { native } from '../base/mongodb/native.js';
import { type DidDocument, holderDidDocument } from '../keys/did.js';
import type { P256Jwk } from '../keys/public-jwk.js';
import type { RecordWrites } from '../store/audit-port.js';
import { type JoinedReads, joinedRows } from '../store/joined-reads.js';
import { canonicalEmail, emailHashes } from './email.js';
import { HolderPartners } from './holder-partners.js';
import type { HolderModels, HolderRow } from './models.js';
import { type NewHolderParts, newHolder, newKey } from './new-holder.js';
import {
  type Consent,
  type HolderDetails,
  type HolderName,
  holderDetailsOf,
  type Recipient,
  recipientOf,
} from './types.js';

export { emailText, sameEmail } from './email.js';
export type { HolderRow } from './models.js';

export interface HoldersOptions extends NewHolderParts {
  models: HolderModels;
  recordWrites: RecordWrites;
}

/** Lifetime of the row that makes concurrent inserts of one address conflict. */
const CLAIM_MS = 60_000;

/** Holder records. */
export class Holders {
  readonly #partners: HolderPartners;
  readonly #rows: JoinedReads<HolderRow>;

  constructor(private readonly options: HoldersOptions) {
    this.#partners = new HolderPartners(options);
    this.#rows = joinedRows(options.models.holders, '_id');
  }

  /** The holder of an address, for a partner. Creates the holder if there is none, and a key if it has none. */
  async recipient(email: string, caller: PartnerCaller): Promise<Recipient> {
    const { holder, isNew } = await this.provision(email, true, caller);
    const withKey = holder.publicKey === null ? await this.#createKey(holder, caller) : holder;
    return recipientOf(withKey, isNew ? 'new' : 'existing');
  }

  /** The holder with this id and a key, or undefined. */
  async recipientById(userId: string, caller: Caller): Promise<Recipient | undefined> {
    const holder = await this.byId(userId);
    if (holder === undefined) return undefined;
    return recipientOf(holder.publicKey === null ? await this.#createKey(holder, caller) : holder, 'existing');
  }

  /** The holder of an address, created if there is none: with a generated key, or without a key if a device will register its own. */
  async provision(
    email: string,
    withKey: boolean,
    caller: Caller = ANONYMOUS,
  ): Promise<{ holder: HolderRow; isNew: boolean }> {
    const existing = await this.byEmail(email);
    if (existing !== undefined) return { holder: existing, isNew: false };
    const holder = newHolder(this.options, email, withKey);
    try {
      const earlier = await this.#insert(holder, email, caller);
      return earlier ? { holder: earlier, isNew: false } : { holder, isNew: true };
    } catch (error) {
      const winner = isDuplicateKey(error) ? await this.byEmail(email) : undefined;
      if (winner === undefined) throw error;
      return { holder: winner, isNew: false };
    }
  }

  /** Inserts a holder; returns the existing one if another gateway has inserted it under another key. */
  async #insert(holder: HolderRow, email: string, caller: Caller): Promise<HolderRow | null> {
    const { models, box, recordWrites } = this.options;
    return models.holders.db.transaction(async (session) => {
      if (box.keyIds.length > 1) {
        const earlier = await this.#underAnyKey(email, session);
        if (earlier !== null) return earlier;
      }
      await native(models.holders).insertOne(holder, { session });
      const entry = { operation: 'holder.create', subject: holder._id, outcome: 'created', after: holder } as const;
      await recordWrites(caller, [entry], session);
      return null;
    });
  }

  /**
   * In a rotation of KEYSTORE_KEY, gateways may hash with different keys for some seconds, so the unique index does not
   * detect two inserts of the same address. Therefore both also write one common row, and one of the two transactions
   * is retried.
   */
  async #underAnyKey(email: string, session: ClientSession): Promise<HolderRow | null> {
    const { models, box, clock } = this.options;
    const claim = { $set: { expiresAt: new Date(clock() + CLAIM_MS) }, $inc: { count: 1 } };
    const [hash] = box.blindIndexes('holder-email', canonicalEmail(email));
    await models.rates.updateOne({ _id: `new holder ${hash}` }, claim, { session, upsert: true });
    return (await this.#byHashes(email, session)) ?? null;
  }

  /** A holder's row, or undefined. */
  async byId(userId: string): Promise<HolderRow | undefined> {
    return (await this.#rows.load([userId])).get(userId);
  }

  /** The row of the holder with an address in any spelling, or undefined. */
  byEmail(email: string): Promise<HolderRow | undefined> {
    return this.#byHashes(email);
  }

  async #byHashes(email: string, session?: ClientSession): Promise<HolderRow | undefined> {
    const { models, box } = this.options;
    const hashes = emailHashes(box, email);
    const [only] = hashes;
    const filter = { emailHash: hashes.length === 1 ? only : { $in: hashes } };
    const rows = await models.holders.find(filter, null, session && { session }).lean<HolderRow[]>();
    return rows.sort((a, b) => hashes.indexOf(a.emailHash) - hashes.indexOf(b.emailHash))[0];
  }

  /** A holder's row by its DID, or undefined. */
  async byDid(did: string): Promise<HolderRow | undefined> {
    return (await this.options.models.holders.findOne({ did }).lean<HolderRow>()) ?? undefined;
  }

  /** The row of the holder with one name, or undefined. @throws DomainError BAD_USER_INPUT for none or several. */
  async byName({ userId, email, did }: HolderName): Promise<HolderRow | undefined> {
    if ([userId, email, did].filter((each) => each !== undefined).length !== 1)
      throw badInput('Send exactly one of "userId", "email" and "did".', 'userId');
    if (userId !== undefined) return this.byId(userId);
    return email === undefined ? this.byDid(did ?? '') : this.byEmail(email);
  }

  /** The id of the holder with this DID, or undefined. */
  async holderIdOf(did: string): Promise<string | undefined> {
    return (await this.byDid(did))?._id;
  }

  /** A holder's DID document with the current key. @throws DomainError NOT_FOUND. */
  async didDocument(did: string): Promise<DidDocument> {
    const holder = await this.byDid(did);
    if (holder === undefined) throw new DomainError('NOT_FOUND', 'No holder has this DID.');
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
    return holderDetailsOf(holder, this.emailOf(holder), caller);
  }

  /** The key that the holder registered for signing, or undefined. */
  async signingKeyOf(holderId: string): Promise<P256Jwk | undefined> {
    return (await this.byId(holderId))?.signingKey;
  }

  /** Stores the partner's own id for a holder; `caller` is the partner, if it made the request. */
  rememberPartnerUser(
    holderId: string,
    partnerId: string,
    partnerUserId: string,
    caller?: PartnerCaller,
  ): Promise<void> {
    return this.#partners.remember(holderId, partnerId, partnerUserId, caller);
  }

  /** The partner's own id for a holder, or undefined. */
  partnerUserIdOf(holderId: string, partnerId: string): Promise<string | undefined> {
    return this.#partners.userIdOf(holderId, partnerId);
  }

  /** A holder's decision about a partner; undefined without one. */
  consentOf(holderId: string, partnerId: string): Promise<Consent | undefined> {
    return this.#partners.consentOf(holderId, partnerId);
  }

  /** Accepts or declines a partner. A declined partner cannot issue to this holder (contract §5). */
  setConsent({ holderId }: HolderCaller, partnerId: string, consent: Consent): Promise<void> {
    return this.#partners.setConsent(holderId, partnerId, consent);
  }

  /** The caller's own row. @throws DomainError NOT_FOUND. */
  async own(caller: HolderCaller): Promise<HolderRow> {
    const holder = await this.byId(caller.holderId);
    if (holder === undefined) throw erasedHolder();
    return holder;
  }

  /** Gives the holder a key. If two requests create one at the same time, the first is stored, and both return it. */
  async #createKey(holder: HolderRow, caller: Caller): Promise<HolderRow> {
    const { models, box, recordWrites, clock } = this.options;
    const change = { ...newKey(box, holder._id), updatedAt: new Date(clock()) };
    await models.holders.db.transaction(async (session) => {
      const keyless = { _id: holder._id, publicKey: null };
      const { modifiedCount } = await models.holders.updateOne(keyless, { $set: change }, { session });
      if (modifiedCount === 0) return;
      const after = { ...holder, ...change };
      const entry = { operation: 'holder.key', subject: holder._id, outcome: 'updated', after } as const;
      await recordWrites(caller, [entry], session);
    });
    return (await this.byId(holder._id)) ?? holder;
  }
}

/** The error for the holder of a session that was just erased. */
export function erasedHolder(): DomainError {
  return new DomainError('NOT_FOUND', 'There is no such holder, or it was erased.');
}
