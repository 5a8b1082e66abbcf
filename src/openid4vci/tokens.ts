// The token endpoint: a code, with the transaction code, is exchanged for an access token (OpenID4VCI 1.0 §6; RFC 6749 §5). It is good once, but for
// the wallet whose response was lost (repeated-grants.ts).
import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientSession, Connection, Model } from 'mongoose';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../http/protocols/protocol-routes.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { AddressTries } from './address-tries.js';
import type { AuthorizationCodes } from './authorization/authorization-codes.js';
import type { Authorizations } from './authorization/authorizations.js';
import type { AuthorizationRow } from './authorization/models.js';
import { detailOf } from './authorization/request-parameters.js';
import type { Dpop } from './dpop.js';
import { PRE_AUTHORIZED } from './metadata.js';
import type { OfferRow, Openid4vciModels, WalletTokenRow } from './models.js';
import { ACCESS_S, type NewTokenFacts, newTokens, REFRESH_MS, type WalletKeys } from './new-tokens.js';
import { type Offers, txCodeHashes } from './offers.js';
import { REPEAT_MS, replacedTokens } from './repeated-grants.js';
import { hashOf, opens, subjectKeyOf, unwrap } from './secrets.js';
import { hasPreAuthorized, isHaip } from './wallet-rules.js';
import type { RequestedCredentialRow } from './without-offer/models.js';

export interface TokensOptions {
  connection: Connection;
  models: Openid4vciModels;
  offers: Offers;
  authorizations: Authorizations;
  codes: AuthorizationCodes;
  requests: Model<RequestedCredentialRow>;
  dpop: Dpop;
  tries: AddressTries;
  box: SealedBox;
  publicUrl: string;
  clock(): number;
}

/** How long a request without an offer waits for its issuer, milliseconds. */
const WAIT_MS = 7 * 86_400_000;
const KEY_BYTES = 32;
const MAX_TRIES = 5;
const MAX_CLIENT_ID = 2_048;

const noGrant = (): ProtocolError =>
  new ProtocolError(
    'invalid_grant',
    'The code or refresh token is unknown, was used, or has expired, or the transaction code is wrong.',
  );

/** @throws ProtocolError invalid_request. */
function clientIdOf({ client_id: clientId }: ProtocolRequest['body']): string | undefined {
  if (clientId === undefined || (typeof clientId === 'string' && clientId.length <= MAX_CLIENT_ID)) return clientId;
  throw new ProtocolError('invalid_request', `"client_id" must be one text of at most ${MAX_CLIENT_ID} characters.`);
}

/** Selects an offer while it is open, and its code is still the one that was read. */
const openOffer = ({ _id, codeHash }: OfferRow) => ({ _id, state: 'open' as const, codeHash });

/** Selects an offer that is as it was read, and whose subject was not deleted. */
const withSubject = ({ _id, state }: OfferRow) => ({ _id, state, sealedSubject: { $exists: true } });

/** Selects a request without an offer that no wallet has asked for its credential. */
const unasked = ({ requestId = '' }: WalletTokenRow) => {
  const isAbsent = { $exists: false };
  return { _id: requestId, coreClaimHash: isAbsent, transactionHash: isAbsent };
};

/** What is exchanged: a code, which may be of an authorization, or a refresh token. */
interface Grant {
  by: WalletKeys;
  /** Its SHA-256, hex. */
  grantHash: string;
  /** The tokens that it was exchanged for before. */
  replaced?: WalletTokenRow[] | undefined;
  refresh?: WalletTokenRow;
  authorization?: AuthorizationRow;
}

/** Gives wallets access tokens. */
export class Tokens {
  constructor(private readonly options: TokensOptions) {}

  /** The response of the token endpoint. @throws ProtocolError as contract §34. */
  async respond(issuer: IssuerRow, request: ProtocolRequest): Promise<object> {
    return this.options.tries.count(request.address, 'request', () => this.#respond(issuer, request));
  }

  async #respond(issuer: IssuerRow, request: ProtocolRequest): Promise<object> {
    const { dpop, authorizations, publicUrl } = this.options;
    const { grant_type: grant } = request.body;
    if (typeof grant !== 'string') throw new ProtocolError('invalid_request', '"grant_type" is missing.');
    const instance = await authorizations.instanceOf(issuer, request);
    const url = `${walletIssuer(publicUrl, issuer._id)}/token`;
    const jkt = await dpop.thumbprintOf({ proof: request.headers.dpop, method: 'POST', url, status: 400 });
    if (isHaip(issuer) && jkt === undefined)
      throw new ProtocolError('invalid_dpop_proof', 'This issuer needs a DPoP proof.');
    const keys = { jkt, instance, clientId: clientIdOf(request.body) ?? instance?.clientId };
    if (grant === 'authorization_code') return this.#byAuthorization(issuer._id, request.body, keys);
    if (grant === 'refresh_token') return this.#byRefreshToken(issuer._id, request.body, keys);
    if (grant === PRE_AUTHORIZED && hasPreAuthorized(issuer)) return this.#byCode(issuer._id, request.body, keys);
    throw new ProtocolError('unsupported_grant_type', 'This issuer has no such grant.');
  }

  async #byCode(issuerId: string, body: ProtocolRequest['body'], by: WalletKeys): Promise<object> {
    const { models } = this.options;
    const { 'pre-authorized_code': code, tx_code: txCode } = body;
    if (typeof code !== 'string') throw new ProtocolError('invalid_request', '"pre-authorized_code" is missing.');
    const grantHash = hashOf(code);
    const offer = await models.offers.findOne({ codeHash: grantHash, issuerId }).lean<OfferRow>();
    if (offer?.codeKey === undefined) throw noGrant();
    const replaced = await this.#replaced(offer, grantHash, by, offer.txCodeHash !== undefined);
    await this.#checkTxCode(offer, txCode);
    return this.#claim(offer, subjectKeyOf(code, offer.codeKey, offer._id), { by, grantHash, replaced });
  }

  /** The tokens that a code was exchanged for before; undefined: the offer is open. @throws ProtocolError invalid_grant. */
  async #replaced(
    offer: OfferRow,
    grantHash: string,
    by: WalletKeys,
    hasSecret: boolean,
  ): Promise<WalletTokenRow[] | undefined> {
    if (offer.state === 'open' && offer.expiresAt.getTime() > this.options.clock()) return undefined;
    // A wallet that has its credential has got the response.
    if (offer.state !== 'claimed') throw noGrant();
    return this.#required({ grantHash, by, hasSecret });
  }

  /** @throws ProtocolError invalid_grant, unless the wallet may repeat its request. */
  async #required(repeat: { grantHash: string; by: WalletKeys; hasSecret?: boolean }): Promise<WalletTokenRow[]> {
    const { models, clock } = this.options;
    const replaced = await replacedTokens(models, { ...repeat, now: clock() });
    if (replaced === undefined) throw noGrant();
    return replaced;
  }

  #claim(offer: OfferRow, key: Buffer, grant: Grant): Promise<object> {
    return this.#give(offer, grant.replaced === undefined ? openOffer(offer) : withSubject(offer), key, grant);
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
    // Not an offer that a wallet has taken meanwhile.
    if (counted.tries >= MAX_TRIES) await offers.close(offer, 'tries', undefined, { state: 'open' });
    throw noGrant();
  }

  async #byAuthorization(issuerId: string, body: ProtocolRequest['body'], by: WalletKeys): Promise<object> {
    const { codes, models } = this.options;
    const { row: authorization, key } = await codes.ofCode(issuerId, body, by);
    const named = detailOf(body.authorization_details);
    if (named !== undefined && named !== authorization.credentialId)
      throw new ProtocolError('invalid_authorization_details', 'The code is for another credential.');
    const { offerId, scope, codeHash: grantHash = '' } = authorization;
    const ofScope = scope === undefined ? {} : { scope };
    const grant = { by, grantHash, authorization };
    if (offerId === undefined) return { ...(await this.#begin(authorization, grant)), ...ofScope };
    const offer = await models.offers.findOne({ _id: offerId, issuerId }).lean<OfferRow>();
    if (offer === null || key === undefined || offer.holderId !== authorization.holderId) throw noGrant();
    const replaced = await this.#replaced(offer, grantHash, by, true);
    // A repeat of the offer has sealed its subject under another code meanwhile.
    if (!opens(key, offer.sealedSubject, offer._id)) throw noGrant();
    return { ...(await this.#claim(offer, key, { ...grant, replaced })), ...ofScope };
  }

  /** Begins a request without an offer; a repeat begins it anew. Its tokens wrap the key of a subject that its issuer may give. */
  async #begin({ kind, issuerId, credentialId, holderId }: AuthorizationRow, from: Grant): Promise<object> {
    const { connection, models, requests, clock } = this.options;
    if (holderId === undefined) throw noGrant();
    const grant = {
      ...from,
      replaced: kind === 'spent' ? await this.#required({ ...from, hasSecret: true }) : undefined,
    };
    const _id = randomUUID();
    const tokens = this.#newTokens({ requestId: _id }, randomBytes(KEY_BYTES), grant);
    const expiresAt = new Date(clock() + WAIT_MS);
    await connection.transaction(async (session) => {
      await this.#spend(grant, session);
      const [former] = grant.replaced ?? [];
      if (former && (await requests.deleteOne(unasked(former), { session })).deletedCount === 0) throw noGrant();
      await requests.create([{ _id, issuerId, credentialId, holderId, expiresAt }], { session });
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(credentialId);
  }

  /** New tokens of a request without an offer. Once it is issued, it lasts as long as they do. */
  async #renew(issuerId: string, refresh: WalletTokenRow, token: string, grant: Grant): Promise<object> {
    const { connection, models, requests, clock } = this.options;
    const _id = refresh.requestId ?? '';
    const asked = await requests.findOne({ _id, issuerId }).lean<RequestedCredentialRow>();
    if (!asked || asked.expiresAt.getTime() <= clock()) throw noGrant();
    const tokens = this.#newTokens({ requestId: _id }, unwrap(token, refresh.wrappedKey, _id), grant);
    const expiresAt = asked.coreClaimHash === undefined ? asked.expiresAt : new Date(clock() + REFRESH_MS);
    await connection.transaction(async (session) => {
      await this.#spend(grant, session);
      // A subject that was read may be deleted meanwhile.
      const still = asked.sealedSubject === undefined ? { _id } : { _id, sealedSubject: { $exists: true } };
      // It may be issued meanwhile, and then lasts longer.
      const { matchedCount } = await requests.updateOne(still, { $max: { expiresAt } }, { session });
      if (matchedCount === 0) throw noGrant();
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(asked.credentialId);
  }

  async #byRefreshToken(issuerId: string, body: ProtocolRequest['body'], keys: WalletKeys): Promise<object> {
    const { models, clock } = this.options;
    const { refresh_token: token } = body;
    if (typeof token !== 'string') throw new ProtocolError('invalid_request', '"refresh_token" is missing.');
    const grantHash = hashOf(token);
    const row = await models.walletTokens.findOne({ _id: grantHash, kind: 'refresh' }).lean<WalletTokenRow>();
    if (!row || row.expiresAt.getTime() <= clock() || row.jkt === undefined || row.jkt !== keys.jkt) throw noGrant();
    if (row.instanceJkt !== undefined && row.instanceJkt !== keys.instance?.jkt) throw noGrant();
    // A refresh need not name its client (RFC 6749 §6): the key that it proves is the one that got the token.
    const by = { ...keys, clientId: keys.clientId ?? row.clientId };
    if (row.clientId !== undefined && row.clientId !== by.clientId) throw noGrant();
    const { offerId } = row;
    const replaced = row.spent ? await this.#required({ grantHash, by }) : undefined;
    const grant = { by, grantHash, replaced, refresh: row };
    if (offerId === undefined) return this.#renew(issuerId, row, token, grant);
    const offer = await models.offers.findOne({ _id: offerId, issuerId }).lean<OfferRow>();
    if (offer === null) throw noGrant();
    return this.#give(offer, withSubject(offer), unwrap(token, row.wrappedKey, offer._id), grant);
  }

  /** Writes new tokens, if the offer still is as it was read: of two at once, one wins. @param key of the subject */
  async #give(offer: OfferRow, asRead: object, key: Buffer, grant: Grant): Promise<object> {
    const { connection, models, clock } = this.options;
    const { jkt } = grant.by;
    const tokens = this.#newTokens({ offerId: offer._id }, key, grant);
    const isIssued = offer.coreClaimHash !== undefined;
    const due = new Date(clock() + (isIssued && jkt !== undefined ? REFRESH_MS : ACCESS_S * 1_000));
    await connection.transaction(async (session) => {
      await this.#spend(grant, session);
      // A repeat has as many tries of the transaction code as the request had.
      const change = { $set: grant.refresh || grant.replaced ? { due } : { state: 'claimed', tries: 0, due } };
      // Another due time is another modification, also if the state stays.
      if ((await models.offers.updateOne(asRead, change, { session })).matchedCount === 0) throw noGrant();
      await models.walletTokens.create(tokens.rows, { session, ordered: true });
    }, SNAPSHOT);
    return tokens.response(offer.credentialId);
  }

  #newTokens(target: NewTokenFacts['target'], key: Buffer, { by, grantHash, replaced }: Grant) {
    const now = this.options.clock();
    const repeatableUntil = replaced?.[0]?.repeatableUntil ?? new Date(now + REPEAT_MS);
    return newTokens({ target, key, by, grantHash, repeatableUntil, now });
  }

  /** Spends what is exchanged, or what it was exchanged for before: of two requests at once, one can. @throws ProtocolError invalid_grant. */
  async #spend({ replaced, refresh, authorization }: Grant, session: ClientSession): Promise<void> {
    const { models, codes, clock } = this.options;
    const unspent = { spent: { $exists: false } };
    if (replaced !== undefined) {
      const filter = { _id: { $in: replaced.map(({ _id }) => _id) }, ...unspent };
      const { deletedCount } = await models.walletTokens.deleteMany(filter, { session });
      if (deletedCount < replaced.length) throw noGrant();
    } else if (refresh !== undefined) {
      const change = { $set: { spent: true, expiresAt: new Date(clock() + REPEAT_MS) } };
      const filter = { _id: refresh._id, ...unspent };
      const { modifiedCount } = await models.walletTokens.updateOne(filter, change, { session });
      if (modifiedCount === 0) throw noGrant();
    } else if (authorization !== undefined) await codes.spend(authorization, session);
  }
}
