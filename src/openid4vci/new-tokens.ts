// New tokens of a wallet: what it gets, and what is stored of them.
import type { WalletInstance } from './authorization/client-attestation.js';
import type { WalletTokenRow } from './models.js';
import { hashOf, newSecret, wrap } from './secrets.js';

/** How long an access token is good, seconds. */
export const ACCESS_S = 600;
/** How long a refresh token is good, milliseconds. */
export const REFRESH_MS = 90 * 86_400_000;

/** Who sends a request: the thumbprint of its DPoP key, its attested wallet, and its `client_id`. */
export interface WalletKeys {
  jkt: string | undefined;
  instance: WalletInstance | undefined;
  clientId: string | undefined;
}

export interface NewTokenFacts {
  /** What they are for. */
  target: { offerId: string } | { requestId: string };
  /** Of the subject. */
  key: Buffer;
  by: WalletKeys;
  /** SHA-256 of the code or refresh token that they are given for, hex; and until when that can be exchanged again. */
  grantHash: string;
  repeatableUntil: Date;
  now: number;
}

/** An access token, and a refresh token if they are bound to a key: rows, and the response. */
export function newTokens({
  target,
  key,
  by: { jkt, instance, clientId },
  grantHash,
  repeatableUntil,
  now,
}: NewTokenFacts): {
  rows: WalletTokenRow[];
  response(credentialId: string): object;
} {
  const about = 'offerId' in target ? target.offerId : target.requestId;
  const [accessToken, refreshToken, notificationId] = [newSecret(), newSecret(), newSecret()];
  const rowOf = (kind: WalletTokenRow['kind'], token: string, lastsMs: number): WalletTokenRow => ({
    ...{ _id: hashOf(token), kind, ...target, wrappedKey: wrap(token, key, about), notificationId },
    ...(jkt === undefined ? {} : { jkt }),
    ...(instance === undefined ? {} : { instanceJkt: instance.jkt }),
    ...(clientId === undefined ? {} : { clientId }),
    ...{ grantHash, repeatableUntil, expiresAt: new Date(now + lastsMs) },
  });
  const rows = [rowOf('access', accessToken, ACCESS_S * 1_000)];
  // Only a token that is bound to a key is renewed.
  if (jkt !== undefined) rows.push(rowOf('refresh', refreshToken, REFRESH_MS));
  const response = (credentialId: string) => ({
    access_token: accessToken,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: ACCESS_S,
    ...(jkt === undefined ? {} : { refresh_token: refreshToken }),
    authorization_details: [
      {
        type: 'openid_credential',
        credential_configuration_id: credentialId,
        credential_identifiers: [credentialId],
      },
    ],
  });
  return { rows, response };
}
