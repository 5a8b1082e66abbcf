// The credential endpoint: proofs of keys against credentials (OpenID4VCI 1.0 §8). The first request issues, as issue-on-behalf does; further ones
// bring more copies of the same issuance.
import type { Connection, Model } from 'mongoose';
import { type PartnerCaller, partnerWithoutToken } from '../base/callers/caller.js';
import { DomainError, ERRORS, toDomainError } from '../base/errors.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../http/protocols/protocol-routes.js';
import type { RouteAnswer } from '../http/routes/route.js';
import type { IssuanceService, IssueRequest, WalletIssuance } from '../issuance/issuance.service.js';
import type { AskedCopies, WalletCopies, WalletKey } from '../issuance/wallets/copies.service.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AppendEvents } from '../store/event-port.js';
import { findRow } from '../store/plain-reads.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import { type Access, accessOf, unknownToken } from './access.js';
import type { Dpop } from './dpop.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { Offers } from './offers.js';
import { keysOfProofs, type Nonces } from './proofs.js';
import { open, unwrap } from './secrets.js';
import { REFRESH_MS } from './new-tokens.js';
import { requireCertificate, rulesOf } from './wallet-rules.js';
import type { RequestedCredentialRow } from './without-offer/models.js';
import type { RequestsWithoutOffer } from './without-offer/requests.js';

export interface CredentialRequestsOptions {
  connection: Connection;
  appendEvents: AppendEvents;
  models: Openid4vciModels;
  offers: Offers;
  issuance: IssuanceService;
  copies: WalletCopies;
  partners: PartnerDirectory;
  requests: Model<RequestedCredentialRow>;
  withoutOffer: RequestsWithoutOffer;
  dpop: Dpop;
  nonces: Nonces;
  limits: RateLimits;
  publicUrl: string;
  clock(): number;
}

/** Each is an event in the log. */
const CHANGES_BY_OFFER: RateLimit = {
  name: 'wallet notifications by offer',
  max: 20,
  seconds: 86_400,
  what: 'notifications of another event',
};

interface Taken extends Access {
  offer: OfferRow;
}

const denied = (why: string, logged?: string): ProtocolError =>
  new ProtocolError('credential_request_denied', why, 400, undefined, logged);
const ended = (): ProtocolError => denied('The credential was revoked or has expired.');

/** Serves credential requests and notifications. */
export class CredentialRequests {
  constructor(private readonly options: CredentialRequestsOptions) {}

  /** The response of the credential endpoint. @throws ProtocolError as contract §34. */
  async respond(issuer: IssuerRow, request: ProtocolRequest): Promise<RouteAnswer> {
    const { nonces, copies, withoutOffer, publicUrl, clock } = this.options;
    const { _id: issuerId } = issuer;
    const access = await accessOf(this.options, request, 'credential');
    const isAsked = access.row.requestId !== undefined;
    const taken = isAsked ? await withoutOffer.of(access, issuerId) : await this.#offerOf(access, issuerId);
    requireOwn(request.body, 'asked' in taken ? taken.asked : taken.offer);
    requirePlain(request.body);
    const now = clock();
    const audience = walletIssuer(publicUrl, issuerId);
    const rules = rulesOf(issuer);
    const keys = await keysOfProofs(request.body.proofs, { issuerId, audience, rules, nonces, now });
    await this.#translated(() => requireCertificate(copies, issuer));
    if ('asked' in taken) return withoutOffer.respond(issuer, taken, keys);
    const credentials = await this.#credentials({ ...taken, issuer }, keys);
    return {
      body: {
        credentials: credentials.map((credential) => ({ credential })),
        notification_id: access.row.notificationId,
      },
    };
  }

  /** The response of the deferred credential endpoint (OpenID4VCI 1.0 §9). @throws ProtocolError as contract §34. */
  async deferred(issuer: IssuerRow, request: ProtocolRequest): Promise<RouteAnswer> {
    const { withoutOffer } = this.options;
    const asked = await withoutOffer.of(await accessOf(this.options, request, 'deferred'), issuer._id);
    return withoutOffer.deferred(issuer, asked, request.body.transaction_id);
  }

  async #offerOf(access: Access, issuerId: string): Promise<Taken> {
    const { offerId } = access.row;
    const offer = offerId && (await findRow(this.options.models.offers, { _id: offerId, issuerId }));
    if (!offer) throw unknownToken();
    return { ...access, offer };
  }

  async #credentials(
    { token, ...taken }: Taken & { issuer: IssuerRow },
    keys: readonly WalletKey[],
  ): Promise<string[]> {
    const { copies, clock } = this.options;
    const { row, offer } = taken;
    const key = unwrap(token, row.wrappedKey, offer._id);
    if (offer.sealedSubject === undefined) throw offer.state === 'issued' ? ended() : denied('The offer is closed.');
    const subject = JSON.parse(open(key, offer.sealedSubject, offer._id).toString()) as Record<string, unknown>;
    const issued = offer.coreClaimHash ?? (await this.#issue(taken, { subject, keys }));
    const credentials = await this.#translated(() =>
      typeof issued === 'string'
        ? copies.sign(issued, { subject, keys, now: new Date(clock()) })
        : copies.signIssued(issued, { subject, keys }),
    );
    if (credentials === undefined) throw ended();
    return credentials;
  }

  /** Issues. Of two requests at once, the second gets the hash of the claim that the first has issued. */
  async #issue(
    { row, offer, issuer }: Omit<Taken, 'token'> & { issuer: IssuerRow },
    { subject, keys }: AskedCopies,
  ): Promise<WalletIssuance | string> {
    const { models, offers, issuance, copies, clock } = this.options;
    // The subject goes with the last token that opens it.
    const due = row.jkt === undefined ? row.expiresAt : new Date(clock() + REFRESH_MS);
    const caller = await this.#callerOf(offer);
    const { issuerDid, credentialId, holderId: userId, onDuplicate, credentialExpiresAt: expiresAt } = offer;
    const asked = { issuerDid, credentialId, credentialSubject: subject, userId, onDuplicate };
    const request = { ...asked, ...(expiresAt === undefined ? {} : { expiresAt }) } as IssueRequest;
    try {
      return await issuance.issueToWallet(caller, request, {
        issuer,
        drawInstances: () => copies.places(offer.issuerId, keys),
        async record({ coreClaimHash }, session) {
          const from = { _id: offer._id, state: 'claimed' as const };
          const change = { $set: { state: 'issued', coreClaimHash, due } };
          const { modifiedCount } = await native(models.offers).updateOne(from, change, { session });
          if (modifiedCount === 0) throw new IssuedMeanwhile();
        },
      });
    } catch (thrown) {
      if (thrown instanceof IssuedMeanwhile) {
        const now = await models.offers.findById(offer._id).lean<OfferRow>();
        if (now?.coreClaimHash !== undefined) return now.coreClaimHash;
        throw denied('The offer is closed.');
      }
      const error = toDomainError(thrown);
      if (error.status >= 500 || ERRORS[error.code].category === 'limit') throw thrown;
      await offers.close(offer, 'refused');
      throw denied(error.message, error.logged);
    }
  }

  /** The current partner. */
  async #callerOf({ partnerId }: OfferRow): Promise<PartnerCaller> {
    const partner = await this.options.partners.find(partnerId);
    if (!partner?.scopes.includes('issue')) throw denied('The partner of this offer may no longer issue.');
    return partnerWithoutToken(partnerId, partner.scopes);
  }

  async #translated<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof DomainError && thrown.code === 'CONFLICT') throw denied(thrown.message);
      throw thrown;
    }
  }

  /** Notes what a wallet did with its credential; the same again changes nothing (OpenID4VCI 1.0 §11.1). @throws ProtocolError; DomainError RATE_LIMITED. */
  async notify(request: ProtocolRequest): Promise<void> {
    const { connection, models, requests, withoutOffer, appendEvents, limits } = this.options;
    const access = await accessOf(this.options, request, 'notification');
    const { row } = access;
    const { issuerId = '' } = request.params;
    const { notification_id: id, event } = request.body;
    if (id !== row.notificationId)
      throw new ProtocolError('invalid_notification_id', 'This notification_id was not given with the token.');
    if (typeof event !== 'string' || !EVENTS.has(event))
      throw new ProtocolError(
        'invalid_notification_request',
        '"event" must be credential_accepted, credential_failure or credential_deleted.',
      );
    const isAsked = row.requestId !== undefined;
    const {
      _id,
      partnerId,
      holderId,
      walletEvent,
      coreClaimHash = null,
    } = isAsked ? (await withoutOffer.of(access, issuerId)).asked : (await this.#offerOf(access, issuerId)).offer;
    // Nothing of ours: another issuer's credential, or none yet.
    if (partnerId === undefined || event === walletEvent) return;
    await limits.count([CHANGES_BY_OFFER, _id]);
    await connection.transaction(async (session) => {
      const filter = { _id, walletEvent: { $ne: event } };
      const change = { $set: { walletEvent: event } };
      const { modifiedCount } = isAsked
        ? await requests.updateOne(filter, change, { session })
        : await models.offers.updateOne(filter, change, { session });
      if (modifiedCount === 0) return;
      const payload = { coreClaimHash, event };
      await appendEvents([{ type: 'wallet_notified', viewers: { partnerId, holderId }, payload }], session);
    }, SNAPSHOT);
  }
}

const EVENTS: ReadonlySet<string> = new Set(['credential_accepted', 'credential_failure', 'credential_deleted']);

class IssuedMeanwhile extends Error {}

/** @throws ProtocolError for an encrypted response: metadata names no encryption (OpenID4VCI 1.0 §8.2, §10). */
function requirePlain({ credential_response_encryption: encryption }: ProtocolRequest['body']): void {
  if (encryption === undefined) return;
  throw new ProtocolError(
    'invalid_encryption_parameters',
    'Responses are not encrypted here: leave out "credential_response_encryption".',
  );
}

/** @throws ProtocolError unless the request asks for the credential that the token is for. */
function requireOwn(body: ProtocolRequest['body'], { credentialId }: { credentialId: string }): void {
  const { credential_configuration_id: configuration, credential_identifier: identifier } = body;
  if (identifier !== undefined && identifier !== credentialId)
    throw new ProtocolError('unknown_credential_identifier', 'The token is not for this credential.');
  if (configuration !== undefined && configuration !== credentialId)
    throw new ProtocolError('unknown_credential_configuration', 'The token is not for this credential.');
  if ((configuration === undefined) === (identifier === undefined))
    throw new ProtocolError(
      'invalid_credential_request',
      'Give "credential_identifier" or "credential_configuration_id".',
    );
}
