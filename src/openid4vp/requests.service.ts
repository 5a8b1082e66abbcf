// Requests for presentations (OpenID4VP 1.0 §5, HAIP 1.0 §5): signed with the certified key of a verifier, answered encrypted.
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { DomainError } from '../base/errors.js';
import type { VerifierRow } from '../catalog/rows/models.js';
import { verifierHolder } from '../certificates/certificate-holders.service.js';
import type { CertifiedSigner, Certificates } from '../certificates/certificates.service.js';
import type { PresentationQuery } from '../conditions/index.js';

/** A key to which one response is encrypted. */
export interface EncryptionKey {
  /** With its `kid`. */
  publicJwk: JWK;
  /** The private member of the JWK. */
  d: string;
}

/** What differs between requests. */
export interface RequestFacts {
  nonce: string;
  query: PresentationQuery;
  encryptionKey: Pick<EncryptionKey, 'publicJwk'>;
  issuedAt: Date;
  expiresAt: Date;
  /** By redirect or QR code: where the response goes, and the state that it repeats. */
  to?: { responseUri: string; state: string };
  /** By a browser's API: the origins of pages that may ask. */
  origins?: readonly string[];
  /** The wallet's own nonce. */
  walletNonce?: string;
}

/** The header `typ`, and with `application/` the media type, of a request object (RFC 9101 §10.8). */
const TYPE = 'oauth-authz-req+jwt';
export const REQUEST_MEDIA_TYPE = `application/${TYPE}`;
export const DC_API_PROTOCOL = 'openid4vp-v1-signed';
/** The audience of requests that are not for one wallet (§5.8). */
const ANY_WALLET = 'https://self-issued.me/v2';
const ALGORITHMS = ['ES256'];
/** Of responses (HAIP 1.0 §5). */
export const KEY_AGREEMENT = 'ECDH-ES';
export const ENCRYPTIONS = ['A128GCM', 'A256GCM'];

const generate = promisify(generateKeyPair);
const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** A new key for one response. */
export async function newEncryptionKey(): Promise<EncryptionKey> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  const { kty = '', crv = '', x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty, crv, x, y });
  return { publicJwk: { kty, crv, x, y, kid, use: 'enc', alg: KEY_AGREEMENT }, d };
}

/** Makes requests. */
export class PresentationRequests {
  constructor(private readonly options: { certificates: Certificates; publicUrl: string }) {}

  /** The certified key of a verifier. @throws DomainError CONFLICT if it has no certificate, CERTIFICATE_EXPIRED. */
  async signer(verifier: VerifierRow): Promise<CertifiedSigner> {
    const { certificates, publicUrl } = this.options;
    const signer = await certificates.signer(verifierHolder(verifier, publicUrl));
    if (signer) return signer;
    throw new DomainError('CONFLICT', 'The verifier has no certificate, which wallets need; the operator uploads it.');
  }

  /** The address that a wallet opens, as a link or a QR code. @param sha256 of the verifier's certificate, hex */
  uri(sha256: string, requestUri: string): string {
    const members = { client_id: clientId(sha256), request_uri: requestUri, request_uri_method: 'post' };
    return `openid4vp://?${new URLSearchParams(members)}`;
  }

  /**
   * The signed request object, by the certificate that its address names.
   * @throws DomainError GONE if that certificate was replaced, or is over
   */
  async sign(verifier: VerifierRow, sha256: string, facts: RequestFacts): Promise<string> {
    const { certificates, publicUrl } = this.options;
    const certified = await certificates.signerOf(verifierHolder(verifier, publicUrl), sha256);
    if (certified === undefined)
      throw new DomainError(
        'GONE',
        "The verifier's certificate was replaced, or is over; the partner may start again.",
      );
    const { signer, x5c } = certified;
    return signer.sign(JSON.stringify(payloadOf(verifier, sha256, facts)), { typ: TYPE, x5c });
  }
}

function payloadOf({ verifierInfo }: VerifierRow, sha256: string, facts: RequestFacts): object {
  const { nonce, query, encryptionKey, issuedAt, expiresAt, to, origins = [], walletNonce } = facts;
  return {
    client_id: clientId(sha256),
    aud: ANY_WALLET,
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    response_type: 'vp_token',
    ...(to
      ? { response_mode: 'direct_post.jwt', response_uri: to.responseUri, state: to.state }
      : { response_mode: 'dc_api.jwt', expected_origins: origins }),
    nonce,
    dcql_query: query,
    client_metadata: {
      jwks: { keys: [encryptionKey.publicJwk] },
      encrypted_response_enc_values_supported: ENCRYPTIONS,
      vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ALGORITHMS, 'kb-jwt_alg_values': ALGORITHMS } },
    },
    ...(walletNonce === undefined ? {} : { wallet_nonce: walletNonce }),
    ...(verifierInfo === undefined ? {} : { verifier_info: JSON.parse(verifierInfo) as unknown }),
  };
}

/**
 * The identifier of a verifier, which is also the audience of presentations for requests by redirect or QR code: the hash
 * of its certificate (OpenID4VP 1.0 §5.9.3). @param sha256 hex
 */
export const clientId = (sha256: string): string => `x509_hash:${Buffer.from(sha256, 'hex').toString('base64url')}`;

/** The audience of presentations for requests by a browser's API (appendix A.4). */
export const originAudience = (origin: string): string => `origin:${origin}`;
