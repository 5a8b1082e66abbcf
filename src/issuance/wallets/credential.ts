// The credential in the form that wallets take: dc+sd-jwt (RFC 9901, draft-ietf-oauth-sd-jwt-vc-26), signed by its issuer, bound to a key.
import type { JWK } from 'jose';
import type { CertifiedSigner } from '../../certificates/certificates.service.js';
import type { Signer } from '../../keys/signing-keys.js';
import type { InstanceRow } from '../models.js';
import { tokenListAddress } from './list-address.service.js';
import type { WalletClaims } from './claims.js';
import { issuedSdJwt } from './sd-jwt.js';

export interface WalletCredentialFacts {
  /** The identifier of the issuer for wallets. */
  iss: string;
  vct: string;
  /** When it was issued. The credential says the day alone, so that copies cannot be linked by the second. */
  issuedAt: Date;
  expiresAt: Date | null;
  /** The wallet's key. */
  key: JWK;
  instance: InstanceRow;
  publicUrl: string;
}

/** The issuer's key: with a certificate, or alone. */
export type WalletSigner = { signer: Signer } & Partial<Pick<CertifiedSigner, 'x5c' | 'notBefore'>>;

const DAY_S = 86_400;
const HOUR_S = 3_600;
const WEEK_S = 7 * DAY_S;

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/**
 * The end in a copy, so that copies cannot be linked by the second: midnight UTC for credentials that are good for a week or longer, a full hour for a
 * day or longer. It is before the end, because verifiers of others read nothing else.
 */
function endOf(issuedAt: Date, expiresAt: Date): number {
  const end = seconds(expiresAt);
  const life = end - seconds(issuedAt);
  if (life < DAY_S) return end;
  const unit = life < WEEK_S ? HOUR_S : DAY_S;
  return Math.floor(end / unit) * unit;
}

/** Signs one copy. */
export function signWalletCredential(
  { iss, vct, issuedAt, expiresAt, key, instance, publicUrl }: WalletCredentialFacts,
  { claims, frame }: WalletClaims,
  { signer, x5c, notBefore }: WalletSigner,
): string {
  const midnight = Math.floor(seconds(issuedAt) / DAY_S) * DAY_S;
  const payload = {
    ...claims,
    iss,
    vct,
    iat: notBefore === undefined ? midnight : Math.max(midnight, Math.ceil(notBefore.getTime() / 1_000)),
    ...(expiresAt === null ? {} : { exp: endOf(issuedAt, expiresAt) }),
    cnf: { jwk: key },
    status: { status_list: { uri: tokenListAddress(publicUrl, instance.list), idx: instance.index } },
  };
  const header = { kid: signer.kid, ...(x5c === undefined ? {} : { x5c }) };
  return issuedSdJwt(payload, frame, header, signer);
}
