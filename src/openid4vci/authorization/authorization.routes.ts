// The authorization endpoint and its page, and the endpoint for pushed requests (contract §33).
import { DomainError, toDomainError } from '../../base/errors.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import { walletIssuer } from '../../certificates/certificate-holders.service.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRequest, ProtocolRoute } from '../../http/protocols/protocol-routes.js';
import type { RouteAnswer } from '../../http/routes/route.js';
import type { WalletCopies } from '../../issuance/wallets/copies.service.js';
import type { WalletIssuers } from '../issuers.js';
import type { Authorizations } from './authorizations.js';
import {
  authorizePage,
  type Fault,
  leavingPage,
  pageAddress,
  type PageFacts,
  refusalPage,
  spentPage,
  type Step,
} from './authorize-page.js';
import type { AuthorizationRow } from './models.js';
import { isPageId, newPageId, pageCookie, pageSecretOf } from './page-cookie.js';
import { type AuthorizationPages, type Page, pageGone } from './pages.js';
import type { WalletClient } from './request-parameters.js';
import { refusalAddress } from './responses.js';

export interface AuthorizationServices {
  walletIssuers: WalletIssuers;
  walletAuthorizations: Authorizations;
  walletPages: AuthorizationPages;
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

/** A page in a browser: its id, which is in its address and its forms, and what the gateway has of it. */
interface Shown {
  services: AuthorizationServices;
  issuer: IssuerRow;
  id: string;
  page: Page;
}

/** A page as it is now, the end of one, or a new page. */
async function show(
  services: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
): Promise<RouteAnswer> {
  const { walletPages: pages } = services;
  const { page: id, agree, decline, again } = request.query;
  if (id === undefined) return opened(services, issuer, request);
  const isEnd = agree !== undefined || decline !== undefined;
  if (isEnd) requireOwnPage(request);
  const page = await pageOf(services, issuer, request, id);
  if (page === undefined || !isPageId(id)) throw pageGone();
  if (!isEnd) return shownPage({ services, issuer, id, page }, again !== undefined);
  const address = agree === undefined ? await pages.decline(page) : await pages.agree(page);
  return address === undefined ? goOn(id) : sentOn(request, address);
}

/** Opens a page, and sends the browser to it. */
async function opened(
  services: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
): Promise<RouteAnswer> {
  const { walletAuthorizations: authorizations, publicUrl } = services;
  try {
    const id = newPageId();
    const { secret } = await authorizations.open(issuer, request);
    return goOn(id, { cookie: pageCookie(id, secret, publicUrl) });
  } catch (thrown) {
    const client = authorizations.clientOf(request.query);
    if (!(thrown instanceof ProtocolError) || client === undefined) throw thrown;
    return refused(services, { ...client, issuerId: issuer._id }, thrown);
  }
}

/** A link back to the wallet, because its address is its own and registered nowhere: a redirect would make an open one of the gateway. */
function refused(
  { publicUrl }: AuthorizationServices,
  client: WalletClient & { issuerId: string },
  error: ProtocolError,
): RouteAnswer {
  const back = refusalAddress(client, error, walletIssuer(publicUrl, client.issuerId));
  return refusalPage({ message: error.message, status: error.status }, back);
}

/** The page of a browser. */
async function pageOf(
  { walletPages, publicUrl }: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
  id: unknown,
): Promise<Page | undefined> {
  const secret = isPageId(id) ? pageSecretOf(request, id, publicUrl) : undefined;
  return secret === undefined ? undefined : walletPages.find(issuer._id, secret);
}

/**
 * Refuses steps that pages of others send a browser to: they would go on for a user who does not want it, or redirect by the gateway.
 * @throws DomainError FORBIDDEN
 */
function requireOwnPage({ headers }: ProtocolRequest): void {
  if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin')
    throw new DomainError('FORBIDDEN', 'This page is used by its own buttons alone. Start again in your wallet.');
}

const redirect = (location: string, headers: Record<string, string> = {}): RouteAnswer => ({
  status: 303,
  headers: { location, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', ...headers },
  contentType: 'text/plain',
  body: '',
});

/** Redirects a browser that says that it followed a link of the page. Others get a link, because the link may be on a page of somebody else. */
const sentOn = ({ headers }: ProtocolRequest, location: string): RouteAnswer =>
  headers['sec-fetch-site'] === undefined ? leavingPage(location) : redirect(location);

/** Sends the browser to its page by GET, so that a reload, or a tab that comes back, repeats no input. @param isAgain for another address */
const goOn = (id: string, { cookie, isAgain = false }: { cookie?: string; isAgain?: boolean } = {}): RouteAnswer =>
  redirect(pageAddress(id, isAgain ? 'again' : undefined), cookie === undefined ? {} : { 'set-cookie': cookie });

/** Takes an input; the page then says what was wrong with it. */
async function advance(
  services: AuthorizationServices,
  issuer: IssuerRow,
  request: ProtocolRequest,
): Promise<RouteAnswer> {
  requireOwnPage(request);
  const { walletPages: pages, publicUrl } = services;
  const { body, address } = request;
  const { page: id, mails } = body;
  if (!isPageId(id)) throw pageGone();
  const page = await pageOf(services, issuer, request, id);
  if (page === undefined) return goOn(id);
  const isLogin = body.code !== undefined;
  const code = typeof body.code === 'string' ? body.code.replaceAll(/\s/g, '') : '';
  const email = typeof body.email === 'string' ? body.email : '';
  try {
    if (!isLogin) await pages.mailCode(page, { email, mails }, address);
    const next = isLogin ? await pages.logIn(page, code, address) : page;
    return goOn(id, next === page ? {} : { cookie: pageCookie(id, next.secret, publicUrl) });
  } catch (thrown) {
    const fault = faultOf(thrown);
    if (fault === undefined) throw thrown;
    await pages.refuse(page, fault.message, isLogin ? undefined : email);
    return goOn(id, { isAgain: !isLogin || fault.status !== 400 });
  }
}

/** A page at the step where it is. @param isAgain for another address than the one that a code was mailed to */
async function shownPage(shown: Shown, isAgain: boolean): Promise<RouteAnswer> {
  const { services, issuer, id, page } = shown;
  const { walletCopies, walletPages } = services;
  const { row } = page;
  if (row.kind === 'spent') return spentPage();
  if (row.kind === 'declined') return leavingPage(walletPages.declinedAddress(row));
  const type = await walletCopies.typeOf(row.credentialId);
  if (type === undefined)
    return refused(services, row, new ProtocolError('invalid_request', 'The credential is not issued any more.'));
  const { email, fault } = await walletPages.lastInput(page);
  const facts: PageFacts = {
    id,
    issuerName: issuer.name,
    credentialName: type.name,
    claims: type.claims.map(({ display, path }) => display[0]?.label ?? path.join('.')),
    redirectUri: row.redirectUri,
    email,
    mails: row.mails,
  };
  return authorizePage(facts, stepOf(row, isAgain), fault);
}

function stepOf({ kind, holderId, loginId }: AuthorizationRow, isAgain: boolean): Step {
  if (kind === 'renewed') return 'code';
  if (holderId !== undefined) return 'agree';
  return loginId === undefined || isAgain ? 'email' : 'code';
}
