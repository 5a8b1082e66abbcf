// Offers: a partner makes them, wallets take them (contract §34). The subject is readable with the offer's code alone until it is issued.
import { randomInt, randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { PartnerCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import { noHolder } from '../holders/consent.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { PageInput } from '../http/routes/operation.js';
import { type CheckedIssuance, type IssuanceService, withRecipient } from '../issuance/issuance.service.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { Idempotency, Remember } from '../store/idempotency.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import {
  type CreatedOffer,
  type CreateOffer,
  createdOf,
  MOST_WITHOUT_CODE_S,
  NO_OFFER,
  type Offer,
  offerOf,
} from './inputs.js';
import type { ClosedReason, OfferRow, OfferState, Openid4vciModels } from './models.js';
import type { OfferMails } from './offer-mails.js';
import { comparable, newToken, type Remembered, rememberedOf, requireRandom } from './offer-repeats.js';
import { isHaip, requireCertificate, rulesOf } from './wallet-rules.js';

export interface OffersOptions {
  connection: Connection;
  idempotency: Idempotency;
  models: Openid4vciModels;
  catalog: IssuingCatalog;
  issuance: IssuanceService;
  copies: WalletCopies;
  holders: Holders;
  mails: OfferMails;
  limits: RateLimits;
  box: SealedBox;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  publicUrl: string;
  /** Whether wallets of others are served. */
  isOn: boolean;
  clock(): number;
}

const BY_PARTNER: RateLimit = { name: 'offers by partner', max: 600, seconds: 60, what: 'offers' };
/** The scheme of addresses that wallets open, by the profile of the issuer. */
const SCHEMES = { open: 'openid-credential-offer', haip: 'haip-vci', off: 'openid-credential-offer' } as const;
const newTxCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');
/** What lists do not read. */
const SECRETS = ['sealedSubject', 'codeKey', 'stateKey', 'tokenHash', 'codeHash', 'stateHash', 'txCodeHash'];
const WITHOUT_SECRETS = Object.fromEntries(SECRETS.map((name) => [name, 0 as const]));

interface OfferPage extends PageInput {
  credentialId?: string | undefined;
  state?: OfferState | undefined;
}

/** Keyed hashes of an offer's transaction code under every key; the first is stored. */
export const txCodeHashes = (box: SealedBox, offerId: string, txCode: string): string[] =>
  box.blindIndexes('offer-tx-code', `${offerId} ${txCode}`);

/** The code in the response, which only a partner that passes it on gets. */
const shownCode = (input: CreateOffer, txCode: string | undefined): string | null =>
  input.txCode === 'partner' ? (txCode ?? null) : null;

/** Makes and shows offers. */
export class Offers {
  constructor(private readonly options: OffersOptions) {}

  /**
   * Offers a credential; a repeat with the same key gets the same offer. @throws DomainError as issueOnBehalf; CONFLICT for a credential
   * without a form for wallets.
   */
  async create(caller: PartnerCaller, input: CreateOffer, key?: string): Promise<CreatedOffer> {
    this.#requireOn();
    const { limits } = this.options;
    if (input.txCode === 'none' && input.expiresIn > MOST_WITHOUT_CODE_S)
      throw new DomainError(
        'BAD_USER_INPUT',
        `"expiresIn" must be at most ${MOST_WITHOUT_CODE_S} without a transaction code.`,
        {
          field: 'expiresIn',
        },
      );
    requireRandom(key);
    await limits.count([BY_PARTNER, caller.partnerId]);
    // Addresses are given out once and not stored, so only the offer's id is remembered.
    let fresh: CreatedOffer | undefined;
    const { offerId, ...others } = await this.options.idempotency.run<Remembered>(
      { caller, route: 'offers', key, body: comparable(withRecipient(caller, input), key) },
      async (remember) => {
        fresh = await this.#first(caller, input, remember);
        return rememberedOf(fresh);
      },
    );
    if (fresh !== undefined) return fresh;
    return offerId === null ? { ...NO_OFFER, ...others } : this.#repeat(caller, offerId, input);
  }

  async #first(caller: PartnerCaller, input: CreateOffer, remember: Remember<Remembered>): Promise<CreatedOffer> {
    const { issuance } = this.options;
    const admitted = await issuance.admit(caller, input);
    const { credential, recipient, now } = admitted;
    const live =
      input.onDuplicate === 'ignore' ? await issuance.live(recipient.userId, credential._id, now) : undefined;
    if (live !== undefined) return { ...NO_OFFER, userUuid: recipient.userId, coreClaimHash: live.coreClaimHash };
    await issuance.requireRoom(credential);
    await this.#requireForm(admitted);
    return this.#write(caller, input, admitted, remember);
  }

  /**
   * Gives an open offer a new token and code, under which the subject is sealed again; the old ones are void. An offer that is not open any more
   * has no address.
   */
  async #repeat(caller: PartnerCaller, _id: string, input: CreateOffer): Promise<CreatedOffer> {
    const { connection, models, issuance, mails, recordWrites, clock } = this.options;
    const row = await this.#own(caller, _id);
    if (row.state !== 'open') return createdOf(row, null);
    if (row.expiresAt.getTime() <= clock()) return createdOf({ ...row, state: 'closed' }, null);
    const { issuer, subject } = await issuance.admit(caller, input);
    const { token, sealed } = newToken(_id, subject);
    // The response with the former code may be lost, and so may its mail, in a process that has ended.
    const txCode = row.txCodeHash === undefined ? undefined : newTxCode();
    if (txCode !== undefined && input.txCode === 'mail') await mails.requireRoom(row.holderId);
    const change = { ...sealed, ...(txCode === undefined ? {} : { txCodeHash: this.#txCodeHash(_id, txCode) }) };
    const isOpen = await connection.transaction(async (session) => {
      const open = { _id, state: 'open' as const };
      if ((await models.offers.updateOne(open, { $set: change }, { session })).matchedCount === 0) return false;
      const shown = { ...row, txCode: input.txCode };
      const entry = { operation: 'offer.create' as const, subject: _id, outcome: 'updated' as const };
      await recordWrites(caller, [{ ...entry, before: shown, after: shown }], session);
      return true;
    }, SNAPSHOT);
    if (!isOpen) return createdOf(await this.#own(caller, _id), null);
    await this.#passOn(row, issuer, input, txCode);
    return { ...createdOf(row, this.#uriOf(issuer, token)), txCode: shownCode(input, txCode) };
  }

  /** @throws DomainError CONFLICT for a credential that wallets cannot get. */
  async #requireForm({ issuer, credential }: CheckedIssuance): Promise<void> {
    const { copies } = this.options;
    if (rulesOf(issuer).profile === 'off')
      throw new DomainError('CONFLICT', 'This issuer has no credentials for wallets of others.');
    const obstacle = await copies.obstacle(credential);
    if (obstacle !== undefined)
      throw new DomainError(
        'CONFLICT',
        `The credential has no form for wallets: its data point "${obstacle}" has another meaning there.`,
      );
    await requireCertificate(copies, issuer);
  }

  async #write(
    caller: PartnerCaller,
    input: CreateOffer,
    admitted: CheckedIssuance,
    remember: Remember<Remembered>,
  ): Promise<CreatedOffer> {
    const { connection, models, catalog, mails, appendEvents, recordWrites, clock } = this.options;
    const { issuer, credential, subject, recipient } = admitted;
    const _id = randomUUID();
    const { token, sealed } = newToken(_id, subject);
    // Wallets of HAIP have the recipient log in.
    const txCode = input.txCode === 'none' || isHaip(issuer) ? undefined : newTxCode();
    const now = clock();
    const expiresAt = new Date(now + input.expiresIn * 1_000);
    const row: OfferRow = {
      ...{ _id, partnerId: caller.partnerId, issuerId: issuer._id, issuerDid: issuer.issuerDid },
      ...{ credentialId: credential._id, holderId: recipient.userId, state: 'open', onDuplicate: input.onDuplicate },
      ...{ ...sealed, tries: 0, createdAt: new Date(now), expiresAt, due: expiresAt },
      ...(input.expiresAt === undefined ? {} : { credentialExpiresAt: input.expiresAt }),
      ...(txCode === undefined ? {} : { txCodeHash: this.#txCodeHash(_id, txCode) }),
    };
    const created = { ...createdOf(row, this.#uriOf(issuer, token)), txCode: shownCode(input, txCode) };
    if (txCode !== undefined && input.txCode === 'mail') await mails.requireRoom(recipient.userId);
    await connection.transaction(async (session) => {
      await models.offers.create([row], { session });
      if (!credential.offered) await catalog.markOffered(credential._id, session);
      const viewers = { partnerId: caller.partnerId, holderId: recipient.userId };
      await appendEvents(
        [{ type: 'offer_created', viewers, payload: { offerId: _id, credentialId: credential._id } }],
        session,
      );
      const after = { ...row, txCode: input.txCode };
      const entry = { operation: 'offer.create' as const, subject: _id, outcome: 'created' as const, after };
      await recordWrites(caller, [entry], session);
      await remember(rememberedOf(created), session);
    }, SNAPSHOT);
    await this.#passOn(row, issuer, input, txCode);
    return created;
  }

  /**
   * Mails the transaction code of a stored offer, if it is to be mailed. A holder that was erased before gets no offer; the erasure of one that
   * still is there deletes it. @throws DomainError NOT_FOUND; STORE_UNAVAILABLE
   */
  async #passOn(
    { _id, holderId, expiresAt }: OfferRow,
    { name }: IssuerRow,
    input: CreateOffer,
    txCode: string | undefined,
  ): Promise<void> {
    const { models, holders, mails } = this.options;
    const holder = await holders.byId(holderId);
    if (holder === undefined) {
      await models.offers.deleteOne({ _id });
      throw noHolder();
    }
    if (txCode !== undefined && input.txCode === 'mail')
      await mails.send(holder, txCode, { for: 'offer', issuer: name, expiresAt });
  }

  #txCodeHash(offerId: string, txCode: string): string {
    return this.options.box.blindIndex('offer-tx-code', `${offerId} ${txCode}`);
  }

  #uriOf(issuer: IssuerRow, token: string): string {
    const address = `${walletIssuer(this.options.publicUrl, issuer._id)}/offers/${token}`;
    return `${SCHEMES[rulesOf(issuer).profile]}://?credential_offer_uri=${encodeURIComponent(address)}`;
  }

  /** @throws DomainError OPENID4VC_OFF. */
  #requireOn(): void {
    if (!this.options.isOn) throw new DomainError('OPENID4VC_OFF', 'Wallets of others are not served here.');
  }

  /** An offer of the partner. @throws DomainError NOT_FOUND. */
  async get(caller: PartnerCaller, _id: string): Promise<Offer> {
    this.#requireOn();
    return offerOf(await this.#own(caller, _id));
  }

  /** @throws DomainError NOT_FOUND. */
  async #own({ partnerId }: PartnerCaller, _id: string): Promise<OfferRow> {
    const row = await this.options.models.offers.findOne({ _id, partnerId }).lean<OfferRow>();
    if (row === null) throw new DomainError('NOT_FOUND', 'The partner has no such offer.');
    return row;
  }

  /** A page of the partner's offers, newest first: one command; the total is one more. @throws DomainError BAD_USER_INPUT (`after`). */
  async page({ partnerId }: PartnerCaller, { credentialId, state, limit, after }: OfferPage): Promise<PageOf<Offer>> {
    this.#requireOn();
    return newestFirst({
      model: this.options.models.offers,
      filter: { partnerId, ...(credentialId === undefined ? {} : { credentialId }), ...(state && { state }) },
      projection: WITHOUT_SECRETS,
      limit,
      after,
      show: (rows: OfferRow[]) => rows.map(offerOf),
    });
  }

  /** Withdraws an offer that is not issued. @throws DomainError NOT_FOUND, CONFLICT. */
  async withdraw(caller: PartnerCaller, _id: string): Promise<void> {
    this.#requireOn();
    const row = await this.#own(caller, _id);
    if (await this.close(row, 'withdrawn', caller)) return;
    // It may have been closed since it was read.
    if ((await this.#own(caller, _id)).state !== 'closed')
      throw new DomainError('CONFLICT', 'A wallet has the credential: revoke it instead.');
  }

  /** Closes an offer that is not issued, and deletes its subject. Returns whether it was open. @param still what it must still be */
  async close(row: OfferRow, reason: ClosedReason, caller?: PartnerCaller, still: object = {}): Promise<boolean> {
    const { connection, models, appendEvents, recordWrites } = this.options;
    const { _id, partnerId, holderId } = row;
    return connection.transaction(async (session) => {
      const filter = { _id, state: { $in: ['open', 'claimed'] as OfferState[] }, ...still };
      const change = { $set: { state: 'closed', reason }, $unset: { sealedSubject: 1, due: 1 } };
      const { modifiedCount } = await models.offers.updateOne(filter, change, { session });
      if (modifiedCount === 0) return false;
      await models.walletTokens.deleteMany({ offerId: _id }, { session });
      await appendEvents(
        [{ type: 'offer_closed', viewers: { partnerId, holderId }, payload: { offerId: _id, reason } }],
        session,
      );
      const after = { ...row, state: 'closed', reason };
      const entry = {
        operation: 'offer.withdraw' as const,
        subject: _id,
        outcome: 'ended' as const,
        before: row,
        after,
      };
      if (caller !== undefined) await recordWrites(caller, [entry], session);
      return true;
    }, SNAPSHOT);
  }
}
