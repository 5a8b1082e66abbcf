// What a credential issuer and its authorization server say of themselves (OpenID4VCI, 12.2; RFC 8414).
import type { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hasOnly, type Json, listOf, must, numberOf, objectOf, textOf, textsOf } from './faults.js';
import { verifyJwtOfChain } from './jws.js';
import { type Answer, addressOf, jsonOf, mustBe, mustBeOf, send, wellKnown } from './strict-http.js';
import { claimsOf, displaysOf } from './type-metadata.js';

const ISSUER_MEMBERS = [
  'credential_issuer',
  'authorization_servers',
  'credential_endpoint',
  'nonce_endpoint',
  'deferred_credential_endpoint',
  'notification_endpoint',
  'credential_request_encryption',
  'credential_response_encryption',
  'batch_credential_issuance',
  'display',
  'credential_configurations_supported',
];
const CONFIGURATION_MEMBERS = [
  'format',
  'scope',
  'credential_signing_alg_values_supported',
  'cryptographic_binding_methods_supported',
  'proof_types_supported',
  'credential_metadata',
  'vct',
];
const BINDINGS = /^(jwk|cose_key|did:[a-z0-9]+)$/;
const PROOF_TYPES = ['jwt', 'di_vp', 'attestation'];
/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

function checkProofTypes(value: unknown): void {
  const types = Object.entries(objectOf(value, 'proof_types_supported'));
  must(types.length > 0, 'proof_types_supported is not empty');
  for (const [type, proof] of types) {
    must(PROOF_TYPES.includes(type), `${type} is a proof type of OpenID4VCI`);
    const { proof_signing_alg_values_supported: algorithms, key_attestations_required: attestations } = objectOf(
      proof,
      type,
    );
    textsOf(algorithms, 'proof_signing_alg_values_supported');
    if (attestations !== undefined)
      for (const [name, levels] of Object.entries(objectOf(attestations, 'key_attestations_required')))
        textsOf(levels, name);
  }
}

function checkConfiguration(id: string, value: unknown): void {
  const configuration = objectOf(value, `the configuration ${id}`);
  hasOnly(configuration, CONFIGURATION_MEMBERS, `the configuration ${id}`);
  must(configuration.format === 'dc+sd-jwt', 'the format is dc+sd-jwt');
  textOf(configuration.vct, 'vct');
  if (configuration.scope !== undefined) must(SCOPE.test(textOf(configuration.scope, 'scope')), 'a scope is one word');
  const algorithms = configuration.credential_signing_alg_values_supported;
  if (algorithms !== undefined) textsOf(algorithms, 'credential_signing_alg_values_supported');
  const bindings = textsOf(configuration.cryptographic_binding_methods_supported, 'binding methods');
  must(
    bindings.every((method) => BINDINGS.test(method)),
    'a binding method is jwk, cose_key or a DID method',
  );
  checkProofTypes(configuration.proof_types_supported);
  const { display, claims, ...other } = objectOf(configuration.credential_metadata ?? {}, 'credential_metadata');
  hasOnly(other, [], 'credential_metadata');
  if (display !== undefined) displaysOf(display, 'display of a configuration', ['name']);
  if (claims === undefined) return;
  for (const claim of claimsOf(claims, 'claims of a configuration')) {
    hasOnly(claim, ['path', 'mandatory', 'display'], 'a claim of a configuration');
    if (claim.display !== undefined) displaysOf(claim.display, 'display of a claim', ['name']);
  }
}

function checkIssuer(metadata: Json, issuer: string): void {
  must(metadata.credential_issuer === issuer, 'credential_issuer is the identifier that it was fetched by');
  hasOnly(metadata, ISSUER_MEMBERS, 'the metadata of an issuer');
  for (const name of ISSUER_MEMBERS.filter((member) => member.endsWith('_endpoint')))
    if (metadata[name] !== undefined || name === 'credential_endpoint') addressOf(metadata[name], name);
  const batch = metadata.batch_credential_issuance;
  if (batch !== undefined) numberOf(objectOf(batch, 'batch_credential_issuance').batch_size, 'batch_size', 2);
  if (metadata.display !== undefined) displaysOf(metadata.display, 'display of the issuer', []);
  const configurations = objectOf(metadata.credential_configurations_supported, 'configurations');
  for (const [id, configuration] of Object.entries(configurations)) checkConfiguration(id, configuration);
}

/** Where an answer depends on `accept`, a cache has to know (RFC 9110, 12.5.5). */
function mustVary({ url, headers }: Answer): void {
  const varies = (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/);
  const isStored = !(headers.get('cache-control') ?? '').includes('no-store');
  must(!isStored || varies.includes('accept') || varies.includes('*'), `${url} varies by accept`);
}

export async function fetchIssuerMetadata(issuer: string): Promise<Json> {
  must(addressOf(issuer, 'credential_issuer').indexOf('?') < 0, 'credential_issuer has no query');
  const answer = await send(wellKnown(issuer, 'openid-credential-issuer'), { headers: { accept: 'application/json' } });
  mustBe(answer, 200);
  mustVary(answer);
  const metadata = jsonOf(answer);
  checkIssuer(metadata, issuer);
  return metadata;
}

/** The same metadata, signed (OpenID4VCI, 12.2.3). @returns the claims of the JWT */
export async function fetchSignedMetadata(issuer: string, roots: readonly X509Certificate[]): Promise<Json> {
  const url = wellKnown(issuer, 'openid-credential-issuer');
  const answer = await send(url, { headers: { accept: 'application/jwt' } });
  mustBe(answer, 200);
  mustBeOf(answer, 'application/jwt');
  const claims = await verifyJwtOfChain(answer.text, roots, 'openidvci-issuer-metadata+jwt');
  const { iss: _iss, sub, iat, exp: _exp, ...metadata } = claims;
  must(sub === issuer, 'the sub of signed metadata is the issuer');
  numberOf(iat, 'iat of signed metadata');
  must(isDeepStrictEqual(metadata, await fetchIssuerMetadata(issuer)), 'signed metadata has all that the other has');
  return claims;
}

/** RFC 8414, with the members of RFC 9126, 9207, 9396, 9449 and OpenID4VCI. */
export async function fetchServerMetadata(issuer: string): Promise<Json> {
  const answer = await send(wellKnown(issuer, 'oauth-authorization-server'));
  mustBe(answer, 200);
  const metadata = jsonOf(answer);
  must(metadata.issuer === issuer, 'the issuer of an authorization server is its identifier');
  for (const [name, value] of Object.entries(metadata)) {
    if (name.endsWith('_endpoint') || name === 'jwks_uri') addressOf(value, name);
    // RFC 8414, 3.2: a claim without elements is left out.
    if (name.endsWith('_supported') && typeof value !== 'boolean') textsOf(value, name);
  }
  textOf(metadata.token_endpoint, 'token_endpoint');
  if (metadata.authorization_endpoint !== undefined) {
    must(listOf(metadata.response_types_supported, 'response types').includes('code'), 'the response type is code');
    const challenges = listOf(metadata.code_challenge_methods_supported, 'code_challenge_methods_supported');
    must(challenges.length === 1 && challenges[0] === 'S256', 'the challenge method is S256 alone (RFC 9700)');
  }
  return metadata;
}
