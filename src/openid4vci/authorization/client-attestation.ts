// Attested wallets (draft-ietf-oauth-attestation-based-client-auth): a provider's attestation of a wallet's key, and a proof of that key.
// Proofs of earlier drafts, with `iss` and `exp`, and of later ones, with `iat` alone, are both taken.
import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, type JWTPayload } from 'jose';
import { z } from 'zod';
import { isMadeNow } from '../../common/token-times.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import { p256Jwk } from '../../keys/public-jwk.js';
import { attesterKey, payloadOf } from '../attestations.js';
import type { UsedProofs } from '../used-proofs.js';

/** A wallet whose attestation was checked. */
export interface WalletInstance {
  clientId: string;
  /** Thumbprint of its attested key. */
  jkt: string;
}

export interface AttestationContext {
  /** Authorities of providers; undefined: anyone may attest, and an attestation may be missing. */
  providers: readonly string[] | undefined;
  /** The identifier of the authorization server. */
  audience: string;
  /** `client_id` of the request; absent: the attested one. */
  clientId?: unknown;
  usedProofs: UsedProofs;
  now: number;
}

const TYPES = ['oauth-client-attestation+jwt'];
const PROOF_TYPES = ['oauth-client-attestation-pop+jwt'];
const MAX_AGE_S = 60;
const MAX_LIFE_S = 300;
const MAX_PROOF = 8_192;

const attested = z.object({ sub: z.string().min(1), exp: z.number(), cnf: z.object({ jwk: z.unknown() }) });
const proved = z
  .object({ jti: z.string().min(1).max(500), iat: z.number().optional(), exp: z.number().optional() })
  .refine(({ iat, exp }) => iat !== undefined || exp !== undefined);

/** A 401 needs a challenge (RFC 9110 §15.5.2). No scheme is registered for attestations, so it names the method of client authentication. */
const CHALLENGE = 'attest_jwt_client_auth error="invalid_client"';

const refused = (why: string): ProtocolError => new ProtocolError('invalid_client', why, 401, CHALLENGE);

/**
 * The attested wallet of a request; undefined: it has no attestation, and needs none.
 * @throws ProtocolError 401 invalid_client
 */
export async function attestedWallet(
  headers: Readonly<Record<string, string | undefined>>,
  context: AttestationContext,
): Promise<WalletInstance | undefined> {
  const attestation = headers['oauth-client-attestation'];
  const proof = headers['oauth-client-attestation-pop'];
  if (attestation === undefined && proof === undefined && context.providers === undefined) return undefined;
  if (attestation === undefined || proof === undefined || proof.length > MAX_PROOF)
    throw refused('The request needs OAuth-Client-Attestation and OAuth-Client-Attestation-PoP.');
  const { providers, now } = context;
  const signer = await attesterKey(attestation, providers, now);
  const said = attested.safeParse(signer && (await payloadOf(attestation, { types: TYPES, key: signer, now })));
  const jwk = p256Jwk(said.data?.cnf.jwk);
  if (!said.success || jwk === undefined)
    throw refused('The wallet attestation is over, is not of a trusted provider, or does not name a P-256 key.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const clientId = said.data.sub;
  if (context.clientId !== undefined && context.clientId !== clientId)
    throw refused('The wallet attestation is of another "client_id".');
  const jkt = await calculateJwkThumbprint(jwk);
  const payload = await payloadOf(proof, { types: PROOF_TYPES, key, now });
  if (payload === undefined || !(await isFresh(payload, clientId, jkt, context)))
    throw refused(
      'The proof of the wallet attestation is of another key, for another server, was used, or is not made now.',
    );
  return { clientId, jkt };
}

async function isFresh(
  payload: JWTPayload,
  clientId: string,
  jkt: string,
  context: AttestationContext,
): Promise<boolean> {
  const { audience, usedProofs, now } = context;
  const parsed = proved.safeParse(payload);
  if (!parsed.success || ![payload.aud].flat().includes(audience)) return false;
  if (payload.iss !== undefined && payload.iss !== clientId) return false;
  const { jti, iat, exp } = parsed.data;
  if (iat !== undefined && !isMadeNow(iat, now, MAX_AGE_S)) return false;
  if (iat === undefined && (exp ?? 0) - now / 1_000 > MAX_LIFE_S) return false;
  return usedProofs.isFirst(`attestation ${jkt} ${jti}`, (MAX_LIFE_S + MAX_AGE_S) * 1_000);
}
