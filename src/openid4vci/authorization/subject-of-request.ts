// What an authorization request is for: the credential of an offer, or one that its issuer gives without one.
import type { IssuerRow } from '../../catalog/rows/models.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { OfferRow, Openid4vciModels } from '../models.js';
import { hashOf, subjectKeyOf } from '../secrets.js';
import type { AuthorizationParameters } from './request-parameters.js';

export interface Subject {
  credentialId: string;
  /** The offer that is taken, and the key of its subject. */
  offer?: OfferRow;
  key?: Buffer;
}

interface Needed {
  models: Pick<Openid4vciModels, 'offers'>;
  clock(): number;
}

/** @throws ProtocolError invalid_grant for a code of no open offer; invalid_authorization_details, invalid_scope. */
export async function subjectOf(
  needed: Needed,
  issuer: IssuerRow,
  parameters: AuthorizationParameters,
): Promise<Subject> {
  const { issuerState } = parameters;
  return issuerState === undefined
    ? withoutOffer(issuer, parameters)
    : withOffer(needed, issuer, { ...parameters, issuerState });
}

async function withOffer(
  { models, clock }: Needed,
  issuer: IssuerRow,
  { issuerState, credentialId, scope }: AuthorizationParameters & { issuerState: string },
): Promise<Subject> {
  const offer = await models.offers.findOne({ codeHash: hashOf(issuerState), issuerId: issuer._id }).lean<OfferRow>();
  if (offer === null || offer.state !== 'open' || offer.expiresAt.getTime() <= clock())
    throw new ProtocolError('invalid_grant', 'The offer has expired, was taken, or was withdrawn.');
  if (credentialId !== undefined && credentialId !== offer.credentialId)
    throw new ProtocolError(
      scope === credentialId ? 'invalid_scope' : 'invalid_authorization_details',
      'The offer is of another credential.',
    );
  return { credentialId: offer.credentialId, offer, key: subjectKeyOf(issuerState) };
}

/** Requests without an offer. @throws ProtocolError: no issuer gives credentials without one. */
async function withoutOffer(_issuer: IssuerRow, _parameters: AuthorizationParameters): Promise<Subject> {
  throw new ProtocolError(
    'invalid_request',
    'This issuer gives credentials by offers alone: "issuer_state" is missing.',
  );
}
