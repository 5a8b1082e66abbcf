// Proofs that a wallet has the keys that its credentials are to be bound to (OpenID4VCI 1.0, appendix F.1): JWTs signed with them.
import { randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { z } from 'zod';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { WalletKey } from '../issuance/wallets/copies.service.js';

/** How many keys a request may have. */
export const BATCH_SIZE = 10;
const NONCE_S = 300;
const HEAD_BYTES = 18;
const TIME_BYTES = 6;
/** How long ago, or ahead, a proof may have been made, seconds. */
const SKEW_S = 300;
const MAX_PROOF = 8_192;
const TYP = 'openid4vci-proof+jwt';

const proofsOf = z.object({ jwt: z.array(z.string().max(MAX_PROOF)).min(1).max(BATCH_SIZE) });
const coordinate = z.string().regex(/^[\w-]{43}$/);
/** A public P-256 key. Private members make it invalid. */
const publicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
  d: z.undefined().optional(),
});

const invalid = (why: string): ProtocolError => new ProtocolError('invalid_proof', why);

/** Nonces that need no store: the time, random bytes, and a keyed hash. */
export class Nonces {
  constructor(
    private readonly box: SealedBox,
    private readonly clock: () => number,
  ) {}

  /** A nonce that is good for 300 seconds, at one issuer. */
  make(issuerId: string): string {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUIntBE(Math.floor(this.clock() / 1_000), 0, TIME_BYTES);
    randomBytes(HEAD_BYTES - TIME_BYTES).copy(head, TIME_BYTES);
    return `${head.toString('base64url')}.${this.box.blindIndex('credential-nonce', textOf(issuerId, head))}`;
  }

  isGood(issuerId: string, nonce: unknown): boolean {
    const [, encoded = '', tag = ''] = /^([\w-]{24})\.([\w-]{43})$/.exec(String(nonce)) ?? [];
    const head = Buffer.from(encoded, 'base64url');
    if (head.length !== HEAD_BYTES) return false;
    const age = Math.floor(this.clock() / 1_000) - head.readUIntBE(0, TIME_BYTES);
    if (age < 0 || age > NONCE_S) return false;
    return this.box.blindIndexes('credential-nonce', textOf(issuerId, head)).includes(tag);
  }
}

const textOf = (issuerId: string, head: Buffer): string => `${issuerId} ${head.toString('base64url')}`;

/** What proofs must be for. */
export interface ProofContext {
  issuerId: string;
  /** The identifier of the credential issuer. */
  audience: string;
  nonces: Nonces;
  now: number;
}

/**
 * The keys that proofs are of, each once.
 * @param proofs the member of a credential request
 * @throws ProtocolError invalid_proof, invalid_nonce
 */
export async function keysOfProofs(proofs: unknown, context: ProofContext): Promise<WalletKey[]> {
  const parsed = proofsOf.safeParse(proofs);
  if (!parsed.success) throw invalid(`"proofs" must have "jwt": 1 to ${BATCH_SIZE} proofs.`);
  const keys: WalletKey[] = [];
  for (const jwt of parsed.data.jwt) keys.push(await keyOfProof(jwt, context));
  if (new Set(keys.map(({ thumbprint }) => thumbprint)).size < keys.length)
    throw invalid('A key has more than one proof.');
  return keys;
}

async function keyOfProof(jwt: string, { issuerId, audience, nonces, now }: ProofContext): Promise<WalletKey> {
  const jwk = jwkOf(headerOf(jwt));
  const { payload } = await verified(jwt, jwk, audience, now);
  const { iat, nonce } = payload;
  if (typeof iat !== 'number' || Math.abs(now / 1_000 - iat) > SKEW_S)
    throw invalid('The "iat" of a proof is not now.');
  if (!nonces.isGood(issuerId, nonce))
    throw new ProtocolError('invalid_nonce', 'The nonce is missing, too old, or of another issuer: ask for a new one.');
  return { jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

function headerOf(jwt: string) {
  try {
    return decodeProtectedHeader(jwt);
  } catch {
    throw invalid('A proof is not a JWT.');
  }
}

/** The key of a header: `jwk`, or did:jwk or did:key in `kid`; exactly one. */
function jwkOf({ jwk, kid, x5c }: ReturnType<typeof headerOf>): JWK {
  if ([jwk, kid, x5c].filter((member) => member !== undefined).length !== 1 || x5c !== undefined)
    throw invalid('A proof must name its key by "jwk", or by "kid" (did:jwk).');
  const named = jwk ?? keyOfDid(String(kid));
  const parsed = publicJwk.safeParse(named);
  if (!parsed.success) throw invalid('The key of a proof must be a public key on P-256.');
  const { kty, crv, x, y } = parsed.data;
  return { kty, crv, x, y };
}

function keyOfDid(kid: string): unknown {
  const [, encoded] = /^did:jwk:([\w-]{1,4096})(?:#0)?$/.exec(kid) ?? [];
  if (encoded === undefined) throw invalid('The "kid" of a proof must be a did:jwk.');
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString());
  } catch {
    throw invalid('The did:jwk of a proof cannot be read.');
  }
}

async function verified(jwt: string, jwk: JWK, audience: string, now: number) {
  try {
    const key = await importJWK(jwk, 'ES256');
    return await jwtVerify(jwt, key, { algorithms: ['ES256'], typ: TYP, audience, currentDate: new Date(now) });
  } catch {
    throw invalid(`A proof must be a JWT of typ ${TYP}, signed with its key by ES256, for this credential issuer.`);
  }
}
