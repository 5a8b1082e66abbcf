// What wallets read first: metadata of a credential issuer (OpenID4VCI 1.0 §12.2), of its authorization server (RFC 8414), and its keys
// (draft-ietf-oauth-sd-jwt-vc-26 §3.5).
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { TypeMetadata } from '../issuance/wallets/type-metadata.js';
import { BATCH_SIZE } from './proofs.js';

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** A configuration: the form of one credential. */
function configurationOf(
  { _id, name }: Pick<CredentialRow, '_id' | 'name'>,
  { vct, claims, description }: TypeMetadata,
) {
  return {
    format: 'dc+sd-jwt',
    scope: _id,
    vct,
    cryptographic_binding_methods_supported: ['jwk', 'did:jwk'],
    credential_signing_alg_values_supported: ['ES256'],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    credential_metadata: {
      display: [{ name, locale: 'en', description }],
      claims: claims.map(({ path, display }) => ({
        path,
        display: display.map(({ locale, label }) => ({ locale, name: label })),
      })),
    },
  };
}

/** Metadata of the credential issuer. */
export function issuerMetadata(
  issuer: Pick<IssuerRow, '_id' | 'name'>,
  credentials: readonly { credential: CredentialRow; type: TypeMetadata }[],
  publicUrl: string,
) {
  const identifier = walletIssuer(publicUrl, issuer._id);
  return {
    credential_issuer: identifier,
    authorization_servers: [identifier],
    credential_endpoint: `${identifier}/credential`,
    nonce_endpoint: `${identifier}/nonce`,
    notification_endpoint: `${identifier}/notification`,
    batch_credential_issuance: { batch_size: BATCH_SIZE },
    display: [{ name: issuer.name, locale: 'en' }],
    credential_configurations_supported: Object.fromEntries(
      credentials.map(({ credential, type }) => [credential._id, configurationOf(credential, type)]),
    ),
  };
}

/** Metadata of its authorization server. */
export function serverMetadata(issuerId: string, publicUrl: string) {
  const identifier = walletIssuer(publicUrl, issuerId);
  return {
    issuer: identifier,
    authorization_endpoint: `${identifier}/authorize`,
    pushed_authorization_request_endpoint: `${identifier}/par`,
    token_endpoint: `${identifier}/token`,
    grant_types_supported: ['authorization_code', PRE_AUTHORIZED, 'refresh_token'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_details_types_supported: ['openid_credential'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['none'],
    'pre-authorized_grant_anonymous_access_supported': true,
    dpop_signing_alg_values_supported: ['ES256'],
  };
}
