// What wallets read first: metadata of a credential issuer (OpenID4VCI 1.0 §12.2), of its authorization server (RFC 8414), and its keys
// (draft-ietf-oauth-sd-jwt-vc-26 §3.5).

import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { walletEndpoint } from '../issuance/issuer-answers.service.js';
import type { TypeMetadata } from '../issuance/wallets/type-metadata.js';
import { SCOPE } from './authorization/request-parameters.js';
import { BATCH_SIZE } from './proofs.js';
import { hasPreAuthorized, isHaip, rulesOf } from './wallet-rules.js';

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** A configuration: the form of one credential. */
function configurationOf(
  { _id, name }: Pick<CredentialRow, '_id' | 'name'>,
  { vct, claims, description }: TypeMetadata,
  proofTypes: object,
) {
  return {
    format: 'dc+sd-jwt',
    ...(SCOPE.test(_id) ? { scope: _id } : {}),
    vct,
    cryptographic_binding_methods_supported: ['jwk', 'did:key', 'did:jwk'],
    credential_signing_alg_values_supported: ['ES256'],
    proof_types_supported: proofTypes,
    credential_metadata: {
      display: [{ name, locale: 'en', description }],
      ...(claims.length === 0
        ? {}
        : {
            claims: claims.map(({ path, display }) => ({
              path,
              display: display.map(({ locale, label }) => ({ locale, name: label })),
            })),
          }),
    },
  };
}

/** The proofs of keys that an issuer takes. */
function proofTypesOf(issuer: IssuerRow): object {
  const { profile, keyProviders } = rulesOf(issuer);
  const signed = { proof_signing_alg_values_supported: ['ES256'] };
  const attested = { ...signed, key_attestations_required: {} };
  if (profile === 'haip') return { jwt: attested, attestation: attested };
  return { jwt: signed, ...(keyProviders.length === 0 ? {} : { attestation: attested }) };
}

/** Metadata of the credential issuer. */
export function issuerMetadata(
  issuer: IssuerRow,
  credentials: readonly { credential: CredentialRow; type: TypeMetadata }[],
  publicUrl: string,
) {
  const identifier = walletIssuer(publicUrl, issuer._id);
  const proofTypes = proofTypesOf(issuer);
  return {
    credential_issuer: identifier,
    authorization_servers: [identifier],
    credential_endpoint: `${identifier}/credential`,
    nonce_endpoint: `${identifier}/nonce`,
    ...(walletEndpoint(issuer) === undefined ? {} : { deferred_credential_endpoint: `${identifier}/deferred` }),
    notification_endpoint: `${identifier}/notification`,
    batch_credential_issuance: { batch_size: BATCH_SIZE },
    display: [{ name: issuer.name, locale: 'en' }],
    credential_configurations_supported: Object.fromEntries(
      credentials.map(({ credential, type }) => [credential._id, configurationOf(credential, type, proofTypes)]),
    ),
  };
}

/** Metadata of its authorization server (RFC 8414; RFC 9126 §5, RFC 9207 §3, RFC 9396 §10, RFC 9449 §5.1). */
export function serverMetadata(issuer: IssuerRow, publicUrl: string) {
  const identifier = walletIssuer(publicUrl, issuer._id);
  const [onlyHaip, byCode] = [isHaip(issuer), hasPreAuthorized(issuer)];
  return {
    issuer: identifier,
    authorization_endpoint: `${identifier}/authorize`,
    pushed_authorization_request_endpoint: `${identifier}/par`,
    require_pushed_authorization_requests: onlyHaip,
    token_endpoint: `${identifier}/token`,
    token_endpoint_auth_methods_supported: [...(onlyHaip ? [] : ['none']), 'attest_jwt_client_auth'],
    client_attestation_signing_alg_values_supported: ['ES256'],
    client_attestation_pop_signing_alg_values_supported: ['ES256'],
    grant_types_supported: ['authorization_code', ...(byCode ? [PRE_AUTHORIZED] : []), 'refresh_token'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_details_types_supported: ['openid_credential'],
    authorization_response_iss_parameter_supported: true,
    ...(byCode ? { 'pre-authorized_grant_anonymous_access_supported': true } : {}),
    dpop_signing_alg_values_supported: ['ES256'],
  };
}
