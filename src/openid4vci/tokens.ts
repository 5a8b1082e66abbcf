// The token endpoint: a code, with the transaction code, is exchanged once for an access token (OpenID4VCI 1.0 §6; RFC 6749 §5).
import { randomBytes, randomUUID } from 'node:crypto';
import type { Connection, Model } from 'mongoose';
import { networkOf } from '../base/callers/client-address.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../http/protocols/protocol-routes.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { RateLimits } from '../store/rate-limits.js';
import { type Authorizations, BY_ADDRESS } from './authorization/authorizations.js';
import type { WalletInstance } from './authorization/client-attestation.js';
import type { AuthorizationRow } from './authorization/models.js';
import { detailOf } from './authorization/request-parameters.js';
import type { Dpop } from './dpop.js';
import { PRE_AUTHORIZED } from './metadata.js';
import type { OfferRow, Openid4vciModels, WalletTokenRow } from './models.js';
import { type Offers, txCodeHashes } from './offers.js';
import { hashOf, newSecret, opens, subjectKeyOf, unwrap, wrap } from './secrets.js';
import { rulesOf } from './wallet-rules.js';
import type { RequestedCredentialRow } from './without-offer/models.js';

export interface TokensOptions {
  connection: Connection;
  models: Openid4vciModels;
  offers: Offers;
  authorizations: Authorizations;
  requests: Model<RequestedCredentialRow>;
  dpop: Dpop;
  limits: RateLimits;
  box: SealedBox;
  publicUrl: string;
  clock(): number;
}

/** How long an access token is good, seconds. */
export const ACCESS_S = 600;
/** How long a refresh token is good, milliseconds. */
export const REFRESH_MS = 90 * 86_400_000;
/** How long a request without an offer waits for its issuer, milliseconds. */
const WAIT_MS = 7 * 86_400_000;
const KEY_BYTES = 32;
const MAX_TRIES = 5;

const noGrant = (): ProtocolError =>
  new ProtocolError('invalid_grant', 'The code is unknown, was used, has expired, or the transaction code is wrong.');

/** Selects an offer while it is open, and its code is still the one that was read. */
const openOffer = ({ _id, codeHash }: OfferRow) => ({ _id, state: 'open' as const, codeHash });

/** Selects an offer that is as it was read, and whose subject was not deleted. */
const withSubject = ({ _id, state }: OfferRow) => ({ _id, state, sealedSubject: { $exists: true } });

/** The keys of a request: the thumbprint of its DPoP key, and its attested wallet. */
interface Keys {
  jkt: string | undefined;
  instance: WalletInstance | undefined;
}

/** What a token is given for. */
interface Grant {
  /** Of the subject. */
  key: Buffer;
  by: Keys;
  /** The offer as it was read. */
  from: object;
  /** The refresh token, or the authorization, that is spent. */
  refresh?: WalletTokenRow;
  authorization?: AuthorizationRow;
}

/** Gives wallets access tokens. */
export class Tokens {
  constructor(private readonly options: TokensOptions) {}

  /** The response of the token endpoint. @throws ProtocolError as contract §34. */
  async respond(issuer: IssuerRow, request: ProtocolRequest): Promise<object> {
    const { limits, dpop, authorizations, publicUrl } = this.options;
    await limits.count([BY_ADDRESS, networkOf(request.address)]);
    const { grant_type: grant } = request.body;
    if (typeof grant !== 'string') throw new ProtocolError('invalid_request', '"grant_type" is missing.');
    const isHaip = rulesOf(issuer).profile === 'haip';
    const instance = await authorizations.instanceOf(issuer, request);
    const url = `${walletIssuer(publicUrl, issuer._id)}/token`;
    const jkt = await dpop.thumbprintOf({ proof: request.headers.dpop, method: 'POST', url, status: 400 });
    if (isHaip && jkt === undefined) throw new ProtocolError('invalid_dpop_proof', 'This issuer needs a DPoP proof.');
    const keys = { jkt, instance };
    if (grant === 'authorization_code') return this.#byAuthorization(issuer._id, request.body, keys);
    if (grant === 'refresh_token') return this.#byRefreshToken(issuer._id, request.body, keys);
    if (grant === PRE_AUTHORIZED && !isHaip) return this.#byCode(issuer._id, request.body, keys);
    throw new ProtocolError('unsupported_grant_type', 'This issuer has no such grant.');
  }

  async #byCode(issuerId: string, body: ProtocolRequest['body'], by: Keys): Promise<object> {
    const { models, clock } = this.options;
    const { 'pre-authorized_code': code, tx_code: txCode } = body;
    if (typeof code !== 'string') throw new ProtocolError('invalid_request', '"pre-authorized_code" is missing.');
    const offer = await models.offers.findOne({ codeHash: hashOf(code), issuerId }).lean<OfferRow>();
    if (offer === null || offer.state !== 'open' || offer.expiresAt.getTime() <= clock()) throw noGrant();
    await this.#checkTxCode(offer, txCode);
    return this.#give(offer, { key: subjectKeyOf(code), by, from: openOffer(offer) });
  }

  /** Wrong codes are counted before anything is compared, so that tries at the same time are counted too. */
  async #checkTxCode(offer: OfferRow, txCode: unknown): Promise<void> {
    const { models, offers, box } = this.options;
    if ((offer.txCodeHash === undefined) !== (txCode === undefined))
      throw new ProtocolError(
        'invalid_request',
        txCode === undefined ? 'This offer needs a "tx_code".' : 'This offer has no transaction code.',
      );
    if (offer.txCodeHash === undefined) return;
    if (typeof txCode !== 'string') throw new ProtocolError('invalid_request', '"tx_code" must be a text.');
    const counted = await models.offers
      .findOneAndUpdate(
        { _id: offer._id, tries: { $lt: MAX_TRIES } },
        { $inc: { tries: 1 } },
        { returnDocument: 'after' },
      )
      .lean<OfferRow>();
    if (counted === null) throw noGrant();
    if (txCodeHashes(box, offer._id, txCode).includes(offer.txCodeHash)) return;
    if (counted.tries >= MAX_TRIES) await offers.close(offer, 'tries');
    throw noGrant();
  }

  async #byAuthorization(issuerId: string, body: ProtocolRequest['body'], by: Keys): Promise<object> {
    const { authorizations, models, clock } = this.options;
    const { row: authorization, key } = await authorizations.ofCode(issuerId, body, by);
    const named = detailOf(body.authorization_details);
    if (named !== undefined && named !== authorization.credentialId)
      throw new ProtocolError('invalid_authorization_details', 'The code is for another credential.');
    const { offerId, scope } = authorization;
    const ofScope = scope === undefined ? {} : { scope };
    if (offerId === undefined) return { ...(await this.#begin(authorization, by)), ...ofScope };
    const offer = await models.offers.findOne({ _id: offerId, issuerId }).lean<OfferRow>();
    const isOpen = offer?.state === 'open' && offer.expiresAt.getTime() > clock();
    if (!isOpen || key === undefined || offer.holderId !== authorization.holderId) throw noGrant();
    // A repeat of the offer has sealed its subject under another code meanwhile.
    if (!opens(key, offer.sealedSubject, offer._id)) throw noGrant();
    return { ...(await this.#give(offer, { key, by, from: openOffer(offer), authorization })), ...ofScope };
  }

  /** Begins a request without an offer. Its tokens wrap the key of a subject that its issuer may give. */
  async #begin(authorization: AuthorizationRow, by: Keys): Promise<object> {
    const { connection, models, authorizations, requests, clock } = this.options;
    const { issuerId, credentialId, holderId } = authorization;
    if (holderId === undefined) throw noGrant();
    const _id = randomUUID();
    const tokens = this.#newTokens({ requestId: _id }, _id, { key: randomBytes(KEY_BYTES), by });
    const expiresAt = new Date(clock() + WAIT_MS);
    await connection.transaction(async (session) => {
      await authorizations.spend(authorization, session);
      await requests.create([{ _id, issuerId, credentialId, holderId, expiresAt }], { session });
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(credentialId);
  }

  /** New tokens of a request without an offer. Once it is issued, it lasts as long as they do. */
  async #renew(issuerId: string, refresh: WalletTokenRow, token: string, by: Keys): Promise<object> {
    const { connection, models, requests, clock } = this.options;
    const _id = refresh.requestId ?? '';
    const asked = await requests.findOne({ _id, issuerId }).lean<RequestedCredentialRow>();
    if (!asked || asked.expiresAt.getTime() <= clock()) throw noGrant();
    const tokens = this.#newTokens({ requestId: _id }, _id, { key: unwrap(token, refresh.wrappedKey, _id), by });
    const expiresAt = asked.coreClaimHash === undefined ? asked.expiresAt : new Date(clock() + REFRESH_MS);
    await connection.transaction(async (session) => {
      if ((await models.walletTokens.deleteOne({ _id: refresh._id }, { session })).deletedCount === 0) throw noGrant();
      const { matchedCount } = await requests.updateOne({ _id }, { $set: { expiresAt } }, { session });
      if (matchedCount === 0) throw noGrant();
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(asked.credentialId);
  }

  async #byRefreshToken(issuerId: string, body: ProtocolRequest['body'], by: Keys): Promise<object> {
    const { models, clock } = this.options;
    const { refresh_token: token } = body;
    if (typeof token !== 'string') throw new ProtocolError('invalid_request', '"refresh_token" is missing.');
    const row = await models.walletTokens.findOne({ _id: hashOf(token), kind: 'refresh' }).lean<WalletTokenRow>();
    if (!row || row.expiresAt.getTime() <= clock() || row.jkt === undefined || row.jkt !== by.jkt) throw noGrant();
    if (row.instanceJkt !== undefined && row.instanceJkt !== by.instance?.jkt) throw noGrant();
    const { offerId } = row;
    if (offerId === undefined) return this.#renew(issuerId, row, token, by);
    const offer = await models.offers.findOne({ _id: offerId, issuerId }).lean<OfferRow>();
    if (offer === null) throw noGrant();
    const key = unwrap(token, row.wrappedKey, offer._id);
    return this.#give(offer, { key, by, from: withSubject(offer), refresh: row });
  }

  /** Writes new tokens, if the offer still is as it was read: of two at once, one wins. */
  async #give(offer: OfferRow, { key, by, from, refresh, authorization }: Grant): Promise<object> {
    const { connection, models, authorizations, clock } = this.options;
    const { jkt } = by;
    const tokens = this.#newTokens({ offerId: offer._id }, offer._id, { key, by });
    const isIssued = offer.coreClaimHash !== undefined;
    const due = new Date(clock() + (isIssued && jkt !== undefined ? REFRESH_MS : ACCESS_S * 1_000));
    await connection.transaction(async (session) => {
      if (refresh && (await models.walletTokens.deleteOne({ _id: refresh._id }, { session })).deletedCount === 0)
        throw noGrant();
      const change = { $set: refresh ? { due } : { state: 'claimed', due } };
      // Another due time is another modification, also if the state stays.
      if ((await models.offers.updateOne(from, change, { session })).matchedCount === 0) throw noGrant();
      if (authorization !== undefined) await authorizations.spend(authorization, session);
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(offer.credentialId);
  }

  /** An access token, and a refresh token if they are bound to a key: rows, and the response. @param about what the key is wrapped for */
  #newTokens(
    target: Pick<WalletTokenRow, 'offerId' | 'requestId'>,
    about: string,
    { key, by: { jkt, instance } }: Pick<Grant, 'key' | 'by'>,
  ): { rows: WalletTokenRow[]; response(credentialId: string): object } {
    const [accessToken, refreshToken, notificationId] = [newSecret(), newSecret(), newSecret()];
    const rowOf = (kind: WalletTokenRow['kind'], token: string, lastsMs: number): WalletTokenRow => ({
      ...{ _id: hashOf(token), kind, ...target, wrappedKey: wrap(token, key, about), notificationId },
      ...(jkt === undefined ? {} : { jkt }),
      ...(instance === undefined ? {} : { instanceJkt: instance.jkt }),
      expiresAt: new Date(this.options.clock() + lastsMs),
    });
    const rows = [rowOf('access', accessToken, ACCESS_S * 1_000)];
    // Only a token that is bound to a key is renewed.
    if (jkt !== undefined) rows.push(rowOf('refresh', refreshToken, REFRESH_MS));
    const response = (credentialId: string) => ({
      access_token: accessToken,
      token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: ACCESS_S,
      ...(jkt === undefined ? {} : { refresh_token: refreshToken }),
      authorization_details: [
        {
          type: 'openid_credential',
          credential_configuration_id: credentialId,
          credential_identifiers: [credentialId],
        },
      ],
    });
    return { rows, response };
  }
}
