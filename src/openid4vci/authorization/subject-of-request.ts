// What an authorization request is for: the credential of an offer, or one that its issuer gives without one.
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import { walletEndpoint } from '../../issuance/issuer-answers.service.js';
import type { OfferRow, Openid4vciModels } from '../models.js';
import { hashOf, subjectKeyOf } from '../secrets.js';
import type { AuthorizationParameters } from './request-parameters.js';

export interface Subject {
  credentialId: string;
  /** The offer that is taken, and the key of its subject. */
  offer?: OfferRow;
  key?: Buffer;
}

export interface SubjectParts {
  models: Pick<Openid4vciModels, 'offers'>;
  catalog: IssuingCatalog;
  clock(): number;
}

/** @throws ProtocolError invalid_grant for a state of no open offer; invalid_authorization_details, invalid_scope, invalid_request. */
export async function subjectOf(
  needed: SubjectParts,
  issuer: IssuerRow,
  parameters: AuthorizationParameters,
): Promise<Subject> {
  const { issuerState } = parameters;
  return issuerState === undefined
    ? withoutOffer(needed, issuer, parameters)
    : withOffer(needed, issuer, { ...parameters, issuerState });
}

async function withOffer(
  { models, clock }: SubjectParts,
  issuer: IssuerRow,
  { issuerState, credentialId, scope }: AuthorizationParameters & { issuerState: string },
): Promise<Subject> {
  const offer = await models.offers.findOne({ stateHash: hashOf(issuerState), issuerId: issuer._id }).lean<OfferRow>();
  if (offer?.state !== 'open' || offer.stateKey === undefined || offer.expiresAt.getTime() <= clock())
    throw new ProtocolError('invalid_grant', 'The offer has expired, was taken, or was withdrawn.');
  if (credentialId !== undefined && credentialId !== offer.credentialId)
    throw new ProtocolError(
      scope === credentialId ? 'invalid_scope' : 'invalid_authorization_details',
      'The offer is of another credential.',
    );
  return { credentialId: offer.credentialId, offer, key: subjectKeyOf(issuerState, offer.stateKey, offer._id) };
}

/** @throws ProtocolError invalid_request, invalid_scope, invalid_authorization_details. */
async function withoutOffer(
  { catalog }: SubjectParts,
  issuer: IssuerRow,
  { credentialId, scope }: AuthorizationParameters,
): Promise<Subject> {
  if (walletEndpoint(issuer) === undefined)
    throw new ProtocolError(
      'invalid_request',
      'This issuer gives credentials by offers alone: "issuer_state" is missing.',
    );
  if (credentialId === undefined)
    throw new ProtocolError('invalid_request', 'Name a credential by "authorization_details" or "scope".');
  if ((await catalog.credential(credentialId))?.issuerId === issuer._id) return { credentialId };
  throw new ProtocolError(
    scope === credentialId ? 'invalid_scope' : 'invalid_authorization_details',
    'The issuer has no such credential.',
  );
}
