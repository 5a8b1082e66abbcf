// Authorization requests of wallets (contract §33, §34): pushed or in the browser's address. Each opens a page.
import type { Model } from 'mongoose';
import { networkOf } from '../../base/callers/client-address.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import { walletIssuer } from '../../certificates/certificate-holders.service.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../../http/protocols/protocol-routes.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { AddressTries } from '../address-tries.js';
import type { Dpop } from '../dpop.js';
import { hashOf, newSecret, unwrap, wrap } from '../secrets.js';
import type { UsedProofs } from '../used-proofs.js';
import { isHaip, rulesOf } from '../wallet-rules.js';
import { attestedWallet, type WalletInstance } from './client-attestation.js';
import type { AuthorizationRow } from './models.js';
import type { Page } from './pages.js';
import { type AuthorizationParameters, clientOf, parametersOf, type WalletClient } from './request-parameters.js';
import { type Subject, type SubjectParts, subjectOf } from './subject-of-request.js';

export interface AuthorizationsOptions extends SubjectParts {
  authorizations: Model<AuthorizationRow>;
  dpop: Dpop;
  usedProofs: UsedProofs;
  limits: RateLimits;
  tries: AddressTries;
  /** Schemes of wallets without a dot that the operator allows. */
  walletSchemes: readonly string[];
  publicUrl: string;
}

interface NewAuthorization {
  issuer: IssuerRow;
  parameters: AuthorizationParameters;
  instance?: WalletInstance | undefined;
  subject: Subject;
  lastsMs: number;
}

const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:';
const PUSHED_S = 90;
/** How long a page lasts: the user reads, and waits for the mail. */
export const PAGE_MS = 20 * 60_000;
const REQUESTS_BY_ADDRESS: RateLimit = { name: 'wallet requests by address', max: 60, seconds: 60, what: 'requests' };
const REQUESTS_BY_OFFER: RateLimit = { name: 'wallet requests by offer', max: 60, seconds: 60, what: 'requests' };
const PAGES_BY_REQUEST: RateLimit = { name: 'wallet pages by request', max: 60, seconds: 60, what: 'pages' };

/** The requests of wallets for authorization. */
export class Authorizations {
  constructor(private readonly options: AuthorizationsOptions) {}

  /** Stores a pushed request (RFC 9126). @throws ProtocolError as contract §34. */
  async push(issuer: IssuerRow, request: ProtocolRequest): Promise<{ request_uri: string; expires_in: number }> {
    return this.options.tries.count(request.address, 'request', () => this.#push(issuer, request));
  }

  async #push(issuer: IssuerRow, request: ProtocolRequest): Promise<{ request_uri: string; expires_in: number }> {
    const { dpop, publicUrl } = this.options;
    if (request.body.request_uri !== undefined)
      throw new ProtocolError('invalid_request', 'A pushed request has no "request_uri".');
    const parameters = parametersOf(request.body, this.options.walletSchemes);
    const instance = await this.instanceOf(issuer, request);
    const url = `${walletIssuer(publicUrl, issuer._id)}/par`;
    const jkt = await dpop.thumbprintOf({ proof: request.headers.dpop, method: 'POST', url, status: 400 });
    if (jkt !== undefined && parameters.dpopJkt !== undefined && jkt !== parameters.dpopJkt)
      throw new ProtocolError('invalid_dpop_proof', 'The DPoP proof is not of the key of "dpop_jkt".');
    const bound = { ...parameters, ...(jkt === undefined ? {} : { dpopJkt: jkt }) };
    const secret = newSecret();
    const subject = await this.#subjectOf(issuer, bound, request.address);
    const lastsMs = PUSHED_S * 1_000;
    await this.#write('pushed', secret, { issuer, parameters: bound, instance, subject, lastsMs });
    return { request_uri: REQUEST_URI + secret, expires_in: PUSHED_S };
  }

  /** The attested wallet of a request. @throws ProtocolError invalid_client, where an attestation is missing or wrong. */
  instanceOf(issuer: IssuerRow, { headers, body }: ProtocolRequest): Promise<WalletInstance | undefined> {
    const { usedProofs, publicUrl, clock } = this.options;
    const { profile, walletProviders } = rulesOf(issuer);
    return attestedWallet(headers, {
      providers: profile === 'haip' ? walletProviders : undefined,
      audience: walletIssuer(publicUrl, issuer._id),
      clientId: body.client_id,
      usedProofs,
      now: clock(),
    });
  }

  /** The wallet of a request in an address; undefined: nothing may be sent there. */
  clientOf(query: ProtocolRequest['query']): WalletClient | undefined {
    try {
      return clientOf(query, this.options.walletSchemes);
    } catch {
      return undefined;
    }
  }

  /** A page for a request: a pushed one, or the parameters themselves. @throws ProtocolError; DomainError RATE_LIMITED. */
  async open(issuer: IssuerRow, { query, address }: ProtocolRequest): Promise<Page> {
    return this.options.tries.count(address, 'page', () => this.#open(issuer, query, address));
  }

  async #open(issuer: IssuerRow, query: ProtocolRequest['query'], address: string): Promise<Page> {
    if (query.request_uri !== undefined) return this.#openPushed(issuer, query);
    if (isHaip(issuer)) throw new ProtocolError('invalid_request', 'This issuer takes pushed requests alone.');
    const parameters = parametersOf(query, this.options.walletSchemes);
    const secret = newSecret();
    const subject = await this.#subjectOf(issuer, parameters, address);
    return { secret, row: await this.#write('page', secret, { issuer, parameters, subject, lastsMs: PAGE_MS }) };
  }

  /**
   * What a request is for. Those with the state of an offer are counted by the offer, because many holders may be behind one address; others by the
   * address. @throws ProtocolError as `subjectOf`; DomainError RATE_LIMITED.
   */
  async #subjectOf(issuer: IssuerRow, parameters: AuthorizationParameters, address: string): Promise<Subject> {
    const { limits } = this.options;
    if (parameters.issuerState === undefined) await limits.count([REQUESTS_BY_ADDRESS, networkOf(address)]);
    const subject = await subjectOf(this.options, issuer, parameters);
    if (subject.offer !== undefined) await limits.count([REQUESTS_BY_OFFER, subject.offer._id]);
    return subject;
  }

  async #openPushed(issuer: IssuerRow, query: ProtocolRequest['query']): Promise<Page> {
    const { authorizations, limits, clock } = this.options;
    const given = String(query.request_uri);
    const pushed = given.startsWith(REQUEST_URI) ? given.slice(REQUEST_URI.length) : '';
    const found = await authorizations
      .findOne({ _id: hashOf(pushed), kind: 'pushed', issuerId: issuer._id })
      .lean<AuthorizationRow>();
    if (!found || found.expiresAt.getTime() <= clock() || found.clientId !== query.client_id)
      throw new ProtocolError(
        'invalid_request_uri',
        'The request has expired or was used. Start again in your wallet.',
      );
    await limits.count([PAGES_BY_REQUEST, found._id]);
    const secret = newSecret();
    const { wrappedKey, offerId } = found;
    const key = wrappedKey === undefined || offerId === undefined ? undefined : unwrap(pushed, wrappedKey, offerId);
    const row: AuthorizationRow = {
      ...{ ...found, _id: hashOf(secret), kind: 'page', pushedId: found._id },
      ...(key === undefined || offerId === undefined ? {} : { wrappedKey: wrap(secret, key, offerId) }),
      expiresAt: new Date(clock() + PAGE_MS),
    };
    await authorizations.create([row]);
    return { secret, row };
  }

  async #write(kind: AuthorizationRow['kind'], secret: string, of: NewAuthorization): Promise<AuthorizationRow> {
    const { authorizations, clock } = this.options;
    const { credentialId, offer, key } = of.subject;
    const { clientId, redirectUri, state, codeChallenge, scope, dpopJkt } = of.parameters;
    const row: AuthorizationRow = {
      ...{ _id: hashOf(secret), kind, issuerId: of.issuer._id, credentialId, clientId, redirectUri, codeChallenge },
      mails: 0,
      ...(state === undefined ? {} : { state }),
      ...(scope === undefined ? {} : { scope }),
      ...(dpopJkt === undefined ? {} : { dpopJkt }),
      ...(of.instance === undefined ? {} : { instanceJkt: of.instance.jkt }),
      ...(offer && key ? { offerId: offer._id, wrappedKey: wrap(secret, key, offer._id) } : {}),
      expiresAt: new Date(clock() + of.lastsMs),
    };
    await authorizations.create([row]);
    return row;
  }
}
