// The authorization endpoint and its page, and the endpoint for pushed requests (contract §33).
import { DomainError, toDomainError } from '../../base/errors.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import { walletIssuer } from '../../certificates/certificate-holders.service.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRequest, ProtocolRoute } from '../../http/protocols/protocol-routes.js';
import type { RouteAnswer } from '../../http/routes/route.js';
import type { WalletCopies } from '../../issuance/wallets/copies.service.js';
import type { WalletIssuers } from '../issuers.js';
import type { Authorizations, Page } from './authorizations.js';
import { authorizePage, type Fault, leavingPage, type PageFacts, refusalPage, type Step } from './authorize-page.js';

export interface AuthorizationServices {
  walletIssuers: WalletIssuers;
  walletAuthorizations: Authorizations;
  walletCopies: WalletCopies;
  publicUrl: string;
}

const POINTS = 20;
const BASE = '/oid4vci/:issuerId';

/** The routes of authorization requests. */
export function authorizationRoutes(services: AuthorizationServices): ProtocolRoute[] {
  const { walletIssuers, walletAuthorizations } = services;
  const issuerOf = ({ params }: ProtocolRequest): Promise<IssuerRow> => walletIssuers.require(params.issuerId ?? '');
  return [
    {
      ...{ method: 'POST', path: `${BASE}/par`, points: POINTS },
      handle: async (request) => ({
        status: 201,
        body: await walletAuthorizations.push(await issuerOf(request), request),
      }),
    },
    {
      ...{ method: 'GET', path: `${BASE}/authorize`, points: POINTS, isPage: true },
      handle: (request) => shown(async () => show(services, await issuerOf(request), request)),
    },
    {
      ...{ method: 'POST', path: `${BASE}/authorize`, points: POINTS, isPage: true },
      handle: (request) => shown(async () => advance(services, await issuerOf(request), request)),
    },
  ];
}

/** Refusals are pages too. */
async function shown(run: () => Promise<RouteAnswer>): Promise<RouteAnswer> {
  try {
    return await run();
  } catch (thrown) {
    const fault = faultOf(thrown);
    if (fault === undefined) throw thrown;
    return refusalPage(fault);
  }
}

/** What a page shows of a refusal; undefined for faults of the gateway. */
function faultOf(thrown: unknown): Fault | undefined {
  if (thrown instanceof ProtocolError) return { message: thrown.message, status: thrown.status };
  const { message, status } = toDomainError(thrown);
  return status === 500 ? undefined : { message, status };
}

/** The last step of a page, or a new page. */
async function show(
  services: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
): Promise<RouteAnswer> {
  const { walletAuthorizations: authorizations, publicUrl } = services;
  const { query } = request;
  if (query.agree !== undefined || query.decline !== undefined) requireOwnPage(request);
  if (query.agree !== undefined)
    return sentOn(request, await authorizations.agree(await authorizations.page(issuer._id, query.agree)));
  if (query.decline !== undefined)
    return sentOn(request, await authorizations.decline(await authorizations.page(issuer._id, query.decline)));
  try {
    return await pageOf(services, issuer, await authorizations.open(issuer, request), { step: 'email' });
  } catch (thrown) {
    const client = authorizations.clientOf(query);
    if (!(thrown instanceof ProtocolError) || client === undefined) throw thrown;
    // A link, because the address is the wallet's own and registered nowhere: a redirect would make an open one of the gateway.
    const back = authorizations.refusal(client, thrown, walletIssuer(publicUrl, issuer._id));
    return refusalPage({ message: thrown.message, status: thrown.status }, back);
  }
}

/**
 * Refuses steps that pages of others send a browser to: they would show a user a page that another has opened, or redirect by the gateway.
 * @throws DomainError FORBIDDEN
 */
function requireOwnPage({ headers }: ProtocolRequest): void {
  if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin')
    throw new DomainError('FORBIDDEN', 'This page is used by its own buttons alone. Start again in your wallet.');
}

/** Redirects a browser that says that it followed a link of the page. Others get a link, because the link may be on a page of somebody else. */
function sentOn({ headers }: ProtocolRequest, location: string): RouteAnswer {
  if (headers['sec-fetch-site'] === undefined) return leavingPage(location);
  return {
    status: 303,
    headers: { location, 'referrer-policy': 'no-referrer' },
    contentType: 'text/plain',
    body: '',
  };
}

/** The next step of a page; at a refusal, the same or the first one with its reason. */
async function advance(
  services: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
): Promise<RouteAnswer> {
  const { walletAuthorizations: authorizations } = services;
  const { body, address } = request;
  requireOwnPage(request);
  const isLogin = body.code !== undefined;
  const code = typeof body.code === 'string' ? body.code.replaceAll(/\s/g, '') : '';
  const email = typeof body.email === 'string' ? body.email : '';
  const renewed = isLogin ? await authorizations.renewedPage(issuer._id, body.page, code) : undefined;
  if (renewed !== undefined) return pageOf(services, issuer, renewed, { step: 'agree' });
  const page = await authorizations.page(issuer._id, body.page);
  if (body.again !== undefined) return pageOf(services, issuer, page, { step: 'email', email });
  try {
    const next = isLogin
      ? await authorizations.logIn(page, code, address)
      : await authorizations.mailCode(page, body.email, address);
    return await pageOf(services, issuer, next, { step: isLogin ? 'agree' : 'code', email });
  } catch (thrown) {
    const fault = faultOf(thrown);
    if (fault === undefined) throw thrown;
    return pageOf(services, issuer, page, { step: isLogin && fault.status === 400 ? 'code' : 'email', email, fault });
  }
}

async function pageOf(
  { walletCopies }: AuthorizationServices,
  { name: issuerName }: IssuerRow,
  { secret, row }: Page,
  { step, email = '', fault }: { step: Step; email?: string; fault?: Fault },
): Promise<RouteAnswer> {
  const type = await walletCopies.typeOf(row.credentialId);
  if (type === undefined) throw new ProtocolError('invalid_request', 'The credential is not issued any more.');
  const claims = type.claims.map(({ display, path }) => display[0]?.label ?? path.join('.'));
  const facts: PageFacts = {
    secret,
    issuerName,
    credentialName: type.name,
    claims,
    redirectUri: row.redirectUri,
    email,
  };
  return authorizePage(facts, step, fault);
}
