// The routes that wallets call (contract §33): metadata, offers, tokens, nonces, credentials, notifications; and type metadata.

import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocols/protocol-routes.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import { authorizationRoutes } from './authorization/authorization.routes.js';
import type { Authorizations } from './authorization/authorizations.js';
import type { AuthorizationPages } from './authorization/pages.js';
import type { CredentialRequests } from './credential-requests.js';
import type { WalletIssuers } from './issuers.js';
import { PRE_AUTHORIZED, serverMetadata } from './metadata.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { Nonces } from './proofs.js';
import { codeOf, hashOf, stateOf } from './secrets.js';
import type { Tokens } from './tokens.js';
import { isHaip } from './wallet-rules.js';

export interface ProtocolRouteServices {
  walletIssuers: WalletIssuers;
  walletAuthorizations: Authorizations;
  walletPages: AuthorizationPages;
  walletTokens: Tokens;
  credentialRequests: CredentialRequests;
  walletNonces: Nonces;
  walletCopies: WalletCopies;
  openid4vciModels: Openid4vciModels;
  publicUrl: string;
  clock(): number;
}

const READ_POINTS = 4;
const WRITE_POINTS = 20;
/** Of a request for up to 10 credentials. */
const CREDENTIAL_POINTS = 60;
const BASE = '/oid4vci/:issuerId';

/** All routes of credential issuers. */
export function walletIssuerRoutes(services: ProtocolRouteServices): ProtocolRoute[] {
  return [...documentRoutes(services), ...issuerRoutes(services)];
}

/** What wallets and verifiers read about an issuer. */
function documentRoutes(services: ProtocolRouteServices): ProtocolRoute[] {
  const { walletIssuers, publicUrl } = services;
  const of = (request: ProtocolRequest): Promise<IssuerRow> => walletIssuers.require(request.params.issuerId ?? '');
  return [
    {
      ...{ method: 'GET', path: `/.well-known/openid-credential-issuer${BASE}`, points: READ_POINTS },
      handle: async (request) => walletIssuers.metadata(await of(request), request.headers.accept),
    },
    {
      ...{ method: 'GET', path: `/.well-known/oauth-authorization-server${BASE}`, points: READ_POINTS },
      handle: async (request) => ({ body: serverMetadata(await of(request), publicUrl) }),
    },
    {
      ...{ method: 'GET', path: `/.well-known/jwt-vc-issuer${BASE}`, points: READ_POINTS },
      handle: async ({ params }) => ({ body: await walletIssuers.keys(params.issuerId ?? '') }),
    },
    {
      ...{ method: 'GET', path: '/vct/:credentialId', points: READ_POINTS },
      handle: async ({ params }) => ({ body: await typeOf(services, params.credentialId ?? '') }),
    },
  ];
}

/** What wallets do at an issuer, which must be live and serve wallets. */
function issuerRoutes(services: ProtocolRouteServices): ProtocolRoute[] {
  const { walletIssuers, walletTokens, credentialRequests, walletNonces } = services;
  const of = (request: ProtocolRequest): Promise<IssuerRow> => walletIssuers.require(request.params.issuerId ?? '');
  return [
    {
      ...{ method: 'GET', path: `${BASE}/offers/:token`, points: READ_POINTS },
      handle: async (request) => ({ body: await offerAt(services, await of(request), request.params.token ?? '') }),
    },
    ...authorizationRoutes(services),
    {
      ...{ method: 'POST', path: `${BASE}/token`, points: WRITE_POINTS },
      handle: async (request) => ({ body: await walletTokens.respond(await of(request), request) }),
    },
    {
      ...{ method: 'POST', path: `${BASE}/nonce`, points: READ_POINTS },
      handle: async (request) => ({ body: { c_nonce: walletNonces.make((await of(request))._id) } }),
    },
    {
      ...{ method: 'POST', path: `${BASE}/credential`, points: CREDENTIAL_POINTS },
      handle: async (request) => credentialRequests.respond(await of(request), request),
    },
    {
      ...{ method: 'POST', path: `${BASE}/deferred`, points: CREDENTIAL_POINTS },
      handle: async (request) => credentialRequests.deferred(await of(request), request),
    },
    {
      ...{ method: 'POST', path: `${BASE}/notification`, points: WRITE_POINTS },
      async handle(request) {
        await of(request);
        await credentialRequests.notify(request);
        return { status: 204 };
      },
    },
  ];
}

async function typeOf({ walletCopies }: ProtocolRouteServices, credentialId: string): Promise<object> {
  const type = await walletCopies.typeOf(credentialId);
  if (type === undefined) throw new ProtocolError('not_found', 'There is no such type.', 404);
  return type;
}

/** An open offer. Its code and its state follow from the token in its address, and are stored nowhere. */
async function offerAt(
  { openid4vciModels: models, publicUrl, clock }: ProtocolRouteServices,
  issuer: IssuerRow,
  token: string,
): Promise<object> {
  const issuerId = issuer._id;
  const offer = await models.offers.findOne({ tokenHash: hashOf(token), issuerId }).lean<OfferRow>();
  if (offer === null || offer.state !== 'open' || offer.expiresAt.getTime() <= clock())
    throw new ProtocolError('not_found', 'The offer has expired, was taken, or was withdrawn.', 404);
  const txCode = { input_mode: 'numeric', length: 6, description: 'The code that you were sent.' };
  const preAuthorized = {
    'pre-authorized_code': codeOf(token),
    ...(offer.txCodeHash === undefined ? {} : { tx_code: txCode }),
  };
  return {
    credential_issuer: walletIssuer(publicUrl, issuerId),
    credential_configuration_ids: [offer.credentialId],
    grants: {
      authorization_code: { issuer_state: stateOf(token) },
      ...(isHaip(issuer) ? {} : { [PRE_AUTHORIZED]: preAuthorized }),
    },
  };
}
