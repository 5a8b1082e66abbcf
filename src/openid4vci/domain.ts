// The parts of the domain of credential issuers for wallets (OpenID4VCI 1.0).
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import { WalletIssuerKeys } from '../certificates/issuer-keys.service.js';
import type { Core } from '../compose/domain.js';
import type { EmailProofs } from '../holders/email-proofs.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { LoginMail } from '../holders/mail.service.js';
import type { DirectIssuance } from '../issuance/direct.service.js';
import type { IssuanceService } from '../issuance/issuance.service.js';
import type { IssuerAnswers } from '../issuance/issuer-answers.service.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { AddressTries } from './address-tries.js';
import { AuthorizationCodes } from './authorization/authorization-codes.js';
import { Authorizations } from './authorization/authorizations.js';
import { authorizationModel } from './authorization/models.js';
import { AuthorizationPages } from './authorization/pages.js';
import { CredentialRequests } from './credential-requests.js';
import { Dpop } from './dpop.js';
import { EndedClaims } from './ended-claims.service.js';
import { DUE_TIMES, OFFERS_OF_ONE_SECRET, offerExpiryWorker } from './expiry.js';
import { offerEraser } from './forget.js';
import { WalletIssuers } from './issuers.js';
import { openid4vciModels } from './models.js';
import { OfferMails } from './offer-mails.js';
import { Offers } from './offers.js';
import { offerOperations } from './operations.js';
import { Nonces } from './proofs.js';
import { type ProtocolRouteServices, walletIssuerRoutes } from './protocol.routes.js';
import { Tokens } from './tokens.js';
import { UsedProofs, usedProofModel } from './used-proofs.js';
import { requestedCredentialModel } from './without-offer/models.js';
import { RequestsWithoutOffer } from './without-offer/requests.js';

interface EarlierServices {
  issuingCatalog: IssuingCatalog;
  holders: Holders;
  loginMail: LoginMail;
  emailProofs: EmailProofs;
  issuance: IssuanceService;
  direct: DirectIssuance;
  issuerAnswers: IssuerAnswers;
  walletCopies: WalletCopies;
  partners: PartnerDirectory;
}

function openid4vciServices(
  core: Core,
  earlier: EarlierServices,
): { offers: Offers; endedClaims: EndedClaims; walletRoutes: ProtocolRouteServices } {
  const { config, connection, signingKeys, outbound, box, appendEvents, recordWrites, publicUrl, clock } = core;
  const { holders, emailProofs, issuance, direct, issuerAnswers: answers, partners } = earlier;
  const { issuingCatalog: catalog, loginMail: mail, walletCopies: copies } = earlier;
  const models = openid4vciModels(connection);
  const usedProofs = new UsedProofs(usedProofModel(connection), clock);
  const dpop = new Dpop(usedProofs, clock);
  const nonces = new Nonces(box, clock);
  const shared = { connection, models, limits: core.rateLimits, box, publicUrl, clock };
  const tries = new AddressTries(core.rateLimits, config.wallets.offerTries);
  const isOn = config.openid4vc;
  const writes = { appendEvents, recordWrites, idempotency: core.idempotency };
  const mails = new OfferMails({ holders, mail, limits: core.rateLimits });
  const offers = new Offers({ ...shared, ...writes, catalog, issuance, copies, holders, mails, isOn });
  const pages = authorizationModel(connection);
  const authorizations = new Authorizations({
    ...{ ...shared, tries, catalog, dpop, usedProofs, authorizations: pages },
    walletSchemes: config.wallets.schemes,
  });
  const requests = requestedCredentialModel(connection);
  core.erasers.add(offerEraser({ connection, models, authorizations: pages, requests }));
  const codes = new AuthorizationCodes({ authorizations: pages, clock });
  const tokens = new Tokens({ ...shared, tries, offers, authorizations, codes, requests, dpop });
  const issuing = { ...shared, requests, issuance, copies, partners };
  const issuerKeys = new WalletIssuerKeys({ signingKeys, outbound, clock });
  const withoutOffer = new RequestsWithoutOffer({ ...issuing, direct, catalog, answers, issuerKeys });
  const credentialRequests = { ...issuing, offers, withoutOffer, dpop, nonces, appendEvents };
  return {
    offers,
    endedClaims: new EndedClaims({ ...models, requests }),
    walletRoutes: {
      walletIssuers: new WalletIssuers({ catalog, copies, signingKeys, publicUrl, clock }),
      walletAuthorizations: authorizations,
      walletPages: new AuthorizationPages({ ...shared, emailProofs, authorizations: pages }),
      walletTokens: tokens,
      credentialRequests: new CredentialRequests(credentialRequests),
      walletNonces: nonces,
      walletCopies: copies,
      openid4vciModels: models,
      publicUrl,
      clock,
    },
  };
}

export const openid4vciDomain = {
  models: (connection: Connection) => ({
    ...openid4vciModels(connection),
    walletAuthorizations: authorizationModel(connection),
    usedProofs: usedProofModel(connection),
    requestedCredentials: requestedCredentialModel(connection),
  }),
  rowUpdates: [DUE_TIMES, OFFERS_OF_ONE_SECRET],
  services: openid4vciServices,
  operations: offerOperations,
  workers: ({ connection, elections, changes, clock }: Core, { offers }: { offers: Offers }): Worker[] => [
    offerExpiryWorker({ models: openid4vciModels(connection), offers, elections, changes, clock }),
  ],
  protocolRoutes: ({ walletRoutes }: { walletRoutes: ProtocolRouteServices }) => walletIssuerRoutes(walletRoutes),
} as const;
