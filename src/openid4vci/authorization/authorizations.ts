// Authorization requests of wallets (contract §33, §34): pushed or in the browser's address, shown to the user, and agreed to, which makes a code.
import type { ClientSession, Model } from 'mongoose';
import { networkOf } from '../../base/callers/client-address.js';
import { DomainError } from '../../base/errors.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import { walletIssuer } from '../../certificates/certificate-holders.service.js';
import type { EmailProofs } from '../../holders/email-proofs.service.js';
import { errorDescription, ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../../http/protocols/protocol-routes.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { Dpop } from '../dpop.js';
import type { OfferRow } from '../models.js';
import { hashOf, newSecret, open, opens, repeatKeyOf, seal, unwrap, wrap } from '../secrets.js';
import type { UsedProofs } from '../used-proofs.js';
import { isHaip, rulesOf } from '../wallet-rules.js';
import { attestedWallet, type WalletInstance } from './client-attestation.js';
import type { AuthorizationRow } from './models.js';
import { type AuthorizationParameters, clientOf, parametersOf, type WalletClient } from './request-parameters.js';
import { type Subject, type SubjectParts, subjectOf } from './subject-of-request.js';

export interface AuthorizationsOptions extends SubjectParts {
  authorizations: Model<AuthorizationRow>;
  emailProofs: EmailProofs;
  dpop: Dpop;
  usedProofs: UsedProofs;
  limits: RateLimits;
  publicUrl: string;
}

/** A page in progress: its secret, which only the browser has, and its row. */
export interface Page {
  secret: string;
  row: AuthorizationRow;
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
const CODE_MS = 60_000;
/** How long a page lasts: the user reads, and waits for the mail. */
const PAGE_MS = 20 * 60_000;
const MAX_REPEATS = 5;
export const BY_ADDRESS: RateLimit = { name: 'wallet tokens by address', max: 60, seconds: 60, what: 'requests' };
const PAGES_BY_ADDRESS: RateLimit = { name: 'wallet pages by address', max: 60, seconds: 60, what: 'pages' };

/** The requests of wallets for authorization. */
export class Authorizations {
  constructor(private readonly options: AuthorizationsOptions) {}

  /** Stores a pushed request (RFC 9126). @throws ProtocolError as contract §34. */
  async push(issuer: IssuerRow, request: ProtocolRequest): Promise<{ request_uri: string; expires_in: number }> {
    const { limits, dpop, publicUrl } = this.options;
    await limits.count([BY_ADDRESS, networkOf(request.address)]);
    if (request.body.request_uri !== undefined)
      throw new ProtocolError('invalid_request', 'A pushed request has no "request_uri".');
    const parameters = parametersOf(request.body);
    const instance = await this.instanceOf(issuer, request);
    const url = `${walletIssuer(publicUrl, issuer._id)}/par`;
    const jkt = await dpop.thumbprintOf({ proof: request.headers.dpop, method: 'POST', url, status: 400 });
    if (jkt !== undefined && parameters.dpopJkt !== undefined && jkt !== parameters.dpopJkt)
      throw new ProtocolError('invalid_dpop_proof', 'The DPoP proof is not of the key of "dpop_jkt".');
    const bound = { ...parameters, ...(jkt === undefined ? {} : { dpopJkt: jkt }) };
    const secret = newSecret();
    const subject = await subjectOf(this.options, issuer, bound);
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
      return clientOf(query);
    } catch {
      return undefined;
    }
  }

  /** A page for a request: a pushed one, or the parameters themselves. @throws ProtocolError; DomainError RATE_LIMITED. */
  async open(issuer: IssuerRow, { query, address }: ProtocolRequest): Promise<Page> {
    await this.options.limits.count([PAGES_BY_ADDRESS, networkOf(address)]);
    if (query.request_uri !== undefined) return this.#openPushed(issuer, query);
    if (isHaip(issuer)) throw new ProtocolError('invalid_request', 'This issuer takes pushed requests alone.');
    const parameters = parametersOf(query);
    const secret = newSecret();
    const subject = await subjectOf(this.options, issuer, parameters);
    return { secret, row: await this.#write('page', secret, { issuer, parameters, subject, lastsMs: PAGE_MS }) };
  }

  async #openPushed(issuer: IssuerRow, query: ProtocolRequest['query']): Promise<Page> {
    const { authorizations, clock } = this.options;
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

  /** A page that is open. @throws DomainError GONE. */
  async page(issuerId: string, given: unknown): Promise<Page> {
    const { authorizations, clock } = this.options;
    const secret = typeof given === 'string' ? given : '';
    const row = await authorizations.findOne({ _id: hashOf(secret), kind: 'page', issuerId }).lean<AuthorizationRow>();
    if (!row || row.expiresAt.getTime() <= clock()) throw pageGone();
    return { secret, row };
  }

  /** Mails a login code; who has logged in and what they agreed to is void then. @throws DomainError as `EmailProofs.begin`. */
  async mailCode({ secret, row }: Page, email: unknown, address: string): Promise<Page> {
    const { emailProofs } = this.options;
    const { loginId } = await emailProofs.begin(`issuer:${row.issuerId}`, email, address);
    const voided = { holderId: 1, codeHash: 1, codeKey: 1, codeExpiresAt: 1 };
    return this.#change({ secret, row }, { $set: { loginId }, $unset: voided });
  }

  /**
   * Checks the login code. The page gets a new secret: whoever knew the old one is not the browser that logged in.
   * @throws DomainError as `EmailProofs.confirm`; FORBIDDEN if the offer is for another person.
   */
  async logIn(page: Page, code: string, address: string): Promise<Page> {
    const { loginId } = page.row;
    if (loginId === undefined) throw pageGone();
    try {
      return await this.options.emailProofs.confirm({ loginId, code, address }, (holderId, session) =>
        this.#renew(page, { holderId, code }, session),
      );
    } catch (thrown) {
      const isGone = thrown instanceof DomainError && thrown.code === 'GONE';
      const renewed = isGone ? await this.renewedPage(page.row.issuerId, page.secret, code) : undefined;
      if (renewed === undefined) throw thrown;
      return renewed;
    }
  }

  async #renew(
    { secret, row }: Page,
    { holderId, code }: { holderId: string; code: string },
    session: ClientSession,
  ): Promise<Page> {
    const { authorizations, models } = this.options;
    const { loginId: _used, offerId, wrappedKey, ...rest } = row;
    const offer = offerId && (await models.offers.findById(offerId, null, { session }).lean<OfferRow>());
    if (offer && offer.holderId !== holderId)
      throw new DomainError('FORBIDDEN', 'This offer is for another person. Use the address that it was sent to.');
    const next = newSecret();
    const key = wrappedKey === undefined || offerId === undefined ? undefined : unwrap(secret, wrappedKey, offerId);
    const of = key === undefined || offerId === undefined ? {} : { offerId, wrappedKey: wrap(next, key, offerId) };
    const change = {
      $set: { kind: 'renewed', renewedAs: seal(repeatKeyOf(secret, code), next, row._id), repeats: 0 },
      $unset: { loginId: 1, offerId: 1, wrappedKey: 1 },
    };
    const { modifiedCount } = await authorizations.updateOne({ _id: row._id, kind: 'page' }, change, { session });
    if (modifiedCount === 0) throw pageGone();
    const renewed: AuthorizationRow = { ...rest, ...of, _id: hashOf(next), holderId };
    await authorizations.create([renewed], { session });
    return { secret: next, row: renewed };
  }

  /** The page after a login that is repeated with its code: a second click, a reload. Undefined where there was none; five codes may be tried. */
  async renewedPage(issuerId: string, given: unknown, code: string): Promise<Page | undefined> {
    const secret = typeof given === 'string' ? given : '';
    const filter = { _id: hashOf(secret), kind: 'renewed' as const, issuerId, repeats: { $lt: MAX_REPEATS } };
    const row = await this.options.authorizations
      .findOneAndUpdate(filter, { $inc: { repeats: 1 } })
      .lean<AuthorizationRow>();
    const key = repeatKeyOf(secret, code);
    if (row?.renewedAs === undefined || !opens(key, row.renewedAs, row._id)) return undefined;
    return this.page(issuerId, open(key, row.renewedAs, row._id).toString());
  }

  async #change({ secret, row: { _id } }: Page, change: object): Promise<Page> {
    const row = await this.options.authorizations
      .findOneAndUpdate({ _id, kind: 'page' }, change, { returnDocument: 'after' })
      .lean<AuthorizationRow>();
    if (row === null) throw pageGone();
    return { secret, row };
  }

  /** Makes a code; an earlier one of the page becomes void. Returns where the browser goes. @throws DomainError GONE. */
  async agree({ secret, row }: Page): Promise<string> {
    const { authorizations, publicUrl, clock } = this.options;
    const { _id, issuerId, offerId, wrappedKey } = row;
    const code = newSecret();
    const codeExpiresAt = new Date(clock() + CODE_MS);
    const key = offerId === undefined || wrappedKey === undefined ? undefined : unwrap(secret, wrappedKey, offerId);
    const change = {
      ...{ codeHash: hashOf(code), codeExpiresAt },
      ...(key === undefined || offerId === undefined ? {} : { codeKey: wrap(code, key, offerId) }),
      expiresAt: new Date(Math.max(row.expiresAt.getTime(), codeExpiresAt.getTime())),
    };
    const filter = { _id, kind: 'page' as const, holderId: { $exists: true } };
    const { matchedCount } = await authorizations.updateOne(filter, { $set: change });
    if (matchedCount === 0) throw pageGone();
    if (row.pushedId !== undefined) await authorizations.deleteOne({ _id: row.pushedId });
    return redirectTo(row, { code, iss: walletIssuer(publicUrl, issuerId) });
  }

  /** Ends a page. Returns where the browser goes. */
  async decline({ row }: Page): Promise<string> {
    const { authorizations, publicUrl } = this.options;
    const ids = [row._id, ...(row.pushedId === undefined ? [] : [row.pushedId])];
    await authorizations.deleteMany({ _id: { $in: ids } });
    return this.refusal(
      row,
      { code: 'access_denied', message: 'The user declined.' },
      walletIssuer(publicUrl, row.issuerId),
    );
  }

  /** The address that tells a wallet of a refusal. */
  refusal(client: WalletClient, { code, message }: { code: string; message: string }, iss: string): string {
    return redirectTo(client, { error: code, error_description: errorDescription(message), iss });
  }
}

const pageGone = (): DomainError =>
  new DomainError('GONE', 'This page has expired or was used. Start again in your wallet.');

/** An address of a wallet, with parameters of a response (RFC 6749 §4.1.2; RFC 9207). */
function redirectTo({ redirectUri, state }: WalletClient, members: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(members)) url.searchParams.append(name, value);
  if (state !== undefined) url.searchParams.append('state', state);
  return url.href;
}
