// DPoP (RFC 9449): a proof that a request comes from the holder of a key. Each proof is good once, over all processes, and for a minute.
import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { parsedUrl } from '../common/parsed-url.js';
import { isMadeNow } from '../common/token-times.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import { verifiedJwt } from '../keys/es256.js';
import { type VerifyingKey, verifyingKey } from '../keys/public-jwk.js';
import type { UsedProofs } from './used-proofs.js';

const MAX_AGE_S = 60;
const MAX_PROOF = 8_192;
const header = z.object({
  typ: z.literal('dpop+jwt'),
  alg: z.literal('ES256'),
  jwk: z.unknown(),
});
const payload = z.object({
  jti: z.string().min(1).max(500),
  htm: z.string(),
  htu: z.string(),
  iat: z.number(),
  ath: z.string().optional(),
});

export interface DpopRequest {
  proof: string | undefined;
  method: string;
  /** The address that was called, without query. */
  url: string;
  /** The access token that the request has, if it has one. */
  accessToken?: string;
  /** Status of a refusal: 400 at the token endpoint, 401 where a token is used. */
  status: 400 | 401;
}

/** Checks DPoP proofs. */
export class Dpop {
  constructor(
    private readonly usedProofs: UsedProofs,
    private readonly clock: () => number,
  ) {}

  /** The thumbprint of the key of a proof; undefined for a request without one. @throws ProtocolError invalid_dpop_proof. */
  async thumbprintOf({ proof, method, url, accessToken, status }: DpopRequest): Promise<string | undefined> {
    if (proof === undefined) return undefined;
    const invalid = (why: string): ProtocolError =>
      new ProtocolError(
        'invalid_dpop_proof',
        why,
        status,
        status === 401 ? 'DPoP error="invalid_dpop_proof"' : undefined,
      );
    const now = this.clock();
    const signer = keyOf(proof);
    const said = signer && contentOf(proof, signer, now);
    if (signer === undefined || said === undefined)
      throw invalid('The DPoP proof is not a JWT of typ dpop+jwt that its P-256 key has signed.');
    if (said.htm !== method || addressOf(said.htu) !== addressOf(url))
      throw invalid('The DPoP proof is for another request.');
    if (!isMadeNow(said.iat, now, MAX_AGE_S)) throw invalid('The DPoP proof was not made now.');
    if (accessToken !== undefined && said.ath !== createHash('sha256').update(accessToken).digest('base64url'))
      throw invalid('The DPoP proof is for another access token.');
    const { thumbprint } = signer;
    if (!(await this.usedProofs.isFirst(`${thumbprint} ${said.jti}`, 2 * MAX_AGE_S * 1_000)))
      throw invalid('The DPoP proof was used before.');
    return thumbprint;
  }
}

/** An address without query and fragment, in its usual spelling (RFC 9449 §4.3); undefined for other texts. */
function addressOf(text: string): string | undefined {
  const url = parsedUrl(text);
  return url && url.origin + url.pathname;
}

function keyOf(proof: string): VerifyingKey | undefined {
  if (proof.length > MAX_PROOF) return undefined;
  try {
    const parsed = header.safeParse(decodeProtectedHeader(proof));
    return parsed.success ? verifyingKey(parsed.data.jwk) : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(proof: string, { key }: VerifyingKey, now: number): z.output<typeof payload> | undefined {
  return payload.safeParse(verifiedJwt(proof, key, { typ: 'dpop+jwt', now })).data;
}
