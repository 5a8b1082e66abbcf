// Offers: a partner makes them, wallets take them (contract §34). The subject is readable with the offer's code alone until it is issued.
import { randomInt, randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { PartnerCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { LoginMail } from '../holders/mail.service.js';
import type { CheckedIssuance, IssuanceService } from '../issuance/issuance.service.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import { type CreatedOffer, type CreateOffer, MOST_WITHOUT_CODE_S, type Offer, offerOf } from './inputs.js';
import type { ClosedReason, OfferRow, OfferState, Openid4vciModels } from './models.js';
import { codeOf, hashOf, newSecret, seal, subjectKeyOf } from './secrets.js';
import { isHaip, requireCertificate, rulesOf } from './wallet-rules.js';

export interface OffersOptions {
  connection: Connection;
  models: Openid4vciModels;
  catalog: IssuingCatalog;
  issuance: IssuanceService;
  copies: WalletCopies;
  holders: Holders;
  mail: LoginMail;
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
const TX_DIGITS = 6;
const PAGE = 100;

/** Keyed hashes of an offer's transaction code under every key; the first is stored. */
export const txCodeHashes = (box: SealedBox, offerId: string, txCode: string): string[] =>
  box.blindIndexes('offer-tx-code', `${offerId} ${txCode}`);

/** Makes and shows offers. */
export class Offers {
  constructor(private readonly options: OffersOptions) {}

  /**
   * Offers a credential. @throws DomainError as issueOnBehalf; CONFLICT for a credential without a form for wallets.
   */
  async create(caller: PartnerCaller, input: CreateOffer): Promise<CreatedOffer> {
    this.#requireOn();
    const { limits, issuance } = this.options;
    if (input.txCode === 'none' && input.expiresIn > MOST_WITHOUT_CODE_S)
      throw new DomainError(
        'BAD_USER_INPUT',
        `"expiresIn" must be at most ${MOST_WITHOUT_CODE_S} without a transaction code.`,
        {
          field: 'expiresIn',
        },
      );
    await limits.count([BY_PARTNER, caller.partnerId]);
    const admitted = await issuance.admit(caller, input);
    const { credential, recipient, now } = admitted;
    const live =
      input.onDuplicate === 'ignore' ? await issuance.live(recipient.userId, credential._id, now) : undefined;
    if (live !== undefined) return existing(recipient.userId, live.coreClaimHash);
    await issuance.requireRoom(credential);
    await this.#requireForm(admitted);
    return this.#write(caller, input, admitted);
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

  async #write(caller: PartnerCaller, input: CreateOffer, admitted: CheckedIssuance): Promise<CreatedOffer> {
    const { connection, models, catalog, box, appendEvents, recordWrites, clock } = this.options;
    const { issuer, credential, subject, recipient } = admitted;
    const [_id, token] = [randomUUID(), newSecret()];
    const code = codeOf(token);
    // Wallets of HAIP have the recipient log in.
    const txCode =
      input.txCode === 'none' || isHaip(issuer)
        ? undefined
        : String(randomInt(10 ** TX_DIGITS)).padStart(TX_DIGITS, '0');
    const now = clock();
    const expiresAt = new Date(now + input.expiresIn * 1_000);
    const row: OfferRow = {
      ...{ _id, partnerId: caller.partnerId, issuerId: issuer._id, issuerDid: issuer.issuerDid },
      ...{ credentialId: credential._id, holderId: recipient.userId, state: 'open', onDuplicate: input.onDuplicate },
      ...{
        tokenHash: hashOf(token),
        codeHash: hashOf(code),
        tries: 0,
        createdAt: new Date(now),
        expiresAt,
        due: expiresAt,
      },
      sealedSubject: seal(subjectKeyOf(code), JSON.stringify(subject), _id),
      ...(input.expiresAt === undefined ? {} : { credentialExpiresAt: input.expiresAt }),
      ...(txCode === undefined ? {} : { txCodeHash: box.blindIndex('offer-tx-code', `${_id} ${txCode}`) }),
    };
    if (txCode !== undefined && input.txCode === 'mail') await this.#mail(recipient.userId, txCode);
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
    }, SNAPSHOT);
    return {
      ...{
        offerId: _id,
        offerUri: this.#uriOf(issuer, token),
        state: 'open',
        expiresAt,
        userUuid: recipient.userId,
      },
      ...{ txCode: input.txCode === 'partner' ? (txCode ?? null) : null, coreClaimHash: null },
    };
  }

  async #mail(holderId: string, txCode: string): Promise<void> {
    const { holders, mail } = this.options;
    const holder = await holders.byId(holderId);
    if (holder !== undefined) await mail.sendCode(holders.emailOf(holder), txCode);
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
  async get({ partnerId }: PartnerCaller, _id: string): Promise<Offer> {
    this.#requireOn();
    const row = await this.options.models.offers.findOne({ _id, partnerId }).lean<OfferRow>();
    if (row === null) throw noOffer();
    return offerOf(row);
  }

  /** The partner's offers, newest first. */
  async list({ partnerId }: PartnerCaller, filter: { credentialId?: string; state?: OfferState }): Promise<Offer[]> {
    this.#requireOn();
    const rows = await this.options.models.offers
      .find({ partnerId, ...filter })
      .sort({ createdAt: -1, _id: 1 })
      .limit(PAGE)
      .lean<OfferRow[]>();
    return rows.map(offerOf);
  }

  /** Withdraws an offer that is not issued. @throws DomainError NOT_FOUND, CONFLICT. */
  async withdraw(caller: PartnerCaller, _id: string): Promise<void> {
    this.#requireOn();
    const { partnerId } = caller;
    const row = await this.options.models.offers.findOne({ _id, partnerId }).lean<OfferRow>();
    if (row === null) throw noOffer();
    if (!(await this.close(row, 'withdrawn', caller)) && row.state !== 'closed')
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

const noOffer = (): DomainError => new DomainError('NOT_FOUND', 'The partner has no such offer.');

const existing = (userUuid: string, coreClaimHash: string): CreatedOffer => ({
  ...{ offerId: null, offerUri: null, txCode: null, state: null, expiresAt: null },
  userUuid,
  coreClaimHash,
});
