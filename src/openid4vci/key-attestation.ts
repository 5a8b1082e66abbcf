// Key attestations (OpenID4VCI 1.0, appendix D): a provider's JWT about up to ten keys of a wallet.
import { z } from 'zod';
import { isAhead } from '../common/token-times.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { WalletKey } from '../issuance/wallets/copies.service.js';
import { p256Jwk, p256Thumbprint } from '../keys/public-jwk.js';
import { attesterKey, payloadOf } from './attestations.js';

/** The second is the spelling of drafts. */
const TYPES = ['key-attestation+jwt', 'keyattestation+jwt'];

const attestation = z.object({
  iat: z.number(),
  exp: z.number().optional(),
  nonce: z.string().optional(),
  attested_keys: z.array(z.unknown()).min(1),
});

/** What an attestation must be. */
export interface AttestationTerms {
  /** Certificates of the authorities of providers. */
  providers: readonly string[];
  /** How many keys it may have. */
  mostKeys: number;
  /** Whether it must have an end (`exp`), as one without nonce must. */
  needsEnd?: boolean;
  now: number;
}

/**
 * The keys that are attested, and the nonce of the attestation.
 * @throws ProtocolError invalid_proof
 */
export async function attestedKeys(
  jwt: string,
  { providers, mostKeys, needsEnd = false, now }: AttestationTerms,
): Promise<{ keys: WalletKey[]; nonce: string | undefined }> {
  const signer = await attesterKey(jwt, providers, now);
  const said = attestation.safeParse(signer && (await payloadOf(jwt, { types: TYPES, key: signer, now })));
  if (!said.success || isAhead(said.data.iat, now) || (needsEnd && said.data.exp === undefined))
    throw invalid('The key attestation is over, or is not of a trusted provider.');
  const { attested_keys: named, nonce } = said.data;
  if (named.length > mostKeys) throw invalid(`A key attestation may have at most ${mostKeys} keys.`);
  const keys: WalletKey[] = [];
  for (const one of named) {
    const jwk = p256Jwk(one);
    if (jwk === undefined) throw invalid('An attested key must be a public key on P-256.');
    keys.push({ jwk, thumbprint: p256Thumbprint(jwk) });
  }
  return { keys, nonce };
}

const invalid = (why: string): ProtocolError => new ProtocolError('invalid_proof', why);
