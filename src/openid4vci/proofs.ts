// Proofs that a wallet has the keys that its credentials are to be bound to (OpenID4VCI 1.0, appendix F.1): JWTs signed with them.
import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { CLOCK_TOLERANCE_S, isMadeNow } from '../common/token-times.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { WalletKey } from '../issuance/wallets/copies.service.js';
import type { IssuerWallets } from '../catalog/rows/models.js';
import { keyOfDidKey } from '../keys/did.js';
import { verifiedJwt } from '../keys/es256.js';
import { type VerifyingKey, verifyingKey } from '../keys/public-jwk.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { attestedKeys } from './key-attestation.js';

/** How many keys a request may have. */
export const BATCH_SIZE = 10;
const NONCE_S = 300;
const HEAD_BYTES = 18;
const TIME_BYTES = 6;
/** How long ago, or ahead, a proof may have been made, seconds. */
const SKEW_S = 300;
/** With an attestation in its header, which has a chain. */
const MAX_PROOF = 32_768;
const TYP = 'openid4vci-proof+jwt';

const proof = z.string().max(MAX_PROOF);
const proofsOf = z.union([
  z.object({ jwt: z.array(proof).min(1).max(BATCH_SIZE), attestation: z.undefined().optional() }),
  z.object({ attestation: z.array(proof).length(1), jwt: z.undefined().optional() }),
]);

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
    const [, encoded = '', tag = ''] = /^([\w-]{24})\.([\w-]{43})$/.exec(typeof nonce === 'string' ? nonce : '') ?? [];
    const head = Buffer.from(encoded, 'base64url');
    if (head.length !== HEAD_BYTES) return false;
    const age = Math.floor(this.clock() / 1_000) - head.readUIntBE(0, TIME_BYTES);
    if (age < -CLOCK_TOLERANCE_S || age > NONCE_S) return false;
    return this.box.blindIndexes('credential-nonce', textOf(issuerId, head)).includes(tag);
  }
}

const textOf = (issuerId: string, head: Buffer): string => `${issuerId} ${head.toString('base64url')}`;

/** What proofs must be for. */
export interface ProofContext {
  issuerId: string;
  /** The identifier of the credential issuer. */
  audience: string;
  rules: IssuerWallets;
  nonces: Nonces;
  now: number;
}

/**
 * The keys that proofs are of, each once: those that sign, and those that are attested beside them.
 * @param proofs the member of a credential request
 * @throws ProtocolError invalid_proof, invalid_nonce
 */
export async function keysOfProofs(proofs: unknown, context: ProofContext): Promise<WalletKey[]> {
  const parsed = proofsOf.safeParse(proofs);
  if (!parsed.success) throw invalid(`"proofs" must have "jwt": 1 to ${BATCH_SIZE} proofs, or one "attestation".`);
  const { jwt = [], attestation: [attestation] = [] } = parsed.data;
  if (attestation !== undefined) return keysOfAttestation(attestation, context);
  const proved: ProvedKeys[] = [];
  for (const one of jwt) proved.push(await keysOfProof(one, context));
  const signers = distinct(proved.map(({ signer }) => signer));
  if (signers.length < jwt.length) throw invalid('A key has more than one proof.');
  const keys = distinct(proved.flatMap(({ signer, attested }) => [signer, ...attested]));
  if (keys.length > BATCH_SIZE) throw invalid(`A request may be for at most ${BATCH_SIZE} keys.`);
  return keys;
}

interface ProvedKeys {
  signer: WalletKey;
  attested: WalletKey[];
}

const distinct = (keys: readonly WalletKey[]): WalletKey[] => [
  ...new Map(keys.map((key) => [key.thumbprint, key])).values(),
];

/** An attestation that is a proof by itself: it has the nonce. */
async function keysOfAttestation(jwt: string, context: ProofContext): Promise<WalletKey[]> {
  const { keys, nonce } = await attestedKeys(jwt, attestationContext(context));
  requireNonce(nonce, context);
  if (distinct(keys).length < keys.length) throw invalid('A key is attested twice.');
  return keys;
}

const attestationContext = ({ rules, now }: ProofContext) => ({
  ...{ providers: rules.keyProviders, mostKeys: BATCH_SIZE, now },
});

async function keysOfProof(jwt: string, context: ProofContext): Promise<ProvedKeys> {
  const header = headerOf(jwt);
  const attested = await attestedBeside(header, context);
  const { jwk, thumbprint, key } = keyOf(header, attested);
  const { audience, now } = context;
  const payload = verifiedJwt(jwt, key, { typ: TYP, audience, now });
  if (payload === undefined)
    throw invalid(`A proof must be a JWT of typ ${TYP}, signed with its key by ES256, for this credential issuer.`);
  const { iat, nonce } = payload;
  if (iat === undefined || !isMadeNow(iat, now, SKEW_S)) throw invalid('The "iat" of a proof is not now.');
  requireNonce(nonce, context);
  const signer = { jwk, thumbprint };
  if (attested.length > 0 && !attested.some((one) => one.thumbprint === thumbprint))
    throw invalid('A proof is not signed with a key that is attested beside it.');
  return { signer, attested };
}

/** The keys of `key_attestation` in the header of a proof. Where no provider is trusted and none is needed, it says nothing. */
async function attestedBeside({ key_attestation: jwt }: ProofHeader, context: ProofContext): Promise<WalletKey[]> {
  const { profile, keyProviders } = context.rules;
  if (profile === 'open' && (jwt === undefined || keyProviders.length === 0)) return [];
  if (typeof jwt !== 'string') throw invalid('A proof needs a "key_attestation" in its header.');
  return (await attestedKeys(jwt, { ...attestationContext(context), needsEnd: true })).keys;
}

function requireNonce(nonce: unknown, { issuerId, nonces }: ProofContext): void {
  if (!nonces.isGood(issuerId, nonce))
    throw new ProtocolError('invalid_nonce', 'The nonce is missing, too old, or of another issuer: ask for a new one.');
}

type ProofHeader = ReturnType<typeof decodeProtectedHeader>;

function headerOf(jwt: string): ProofHeader {
  try {
    return decodeProtectedHeader(jwt);
  } catch {
    throw invalid('A proof is not a JWT.');
  }
}

/** The key of a header: `jwk`, or `kid` with a did:jwk, or the place of an attested key; exactly one. */
function keyOf({ jwk, kid, x5c }: ProofHeader, attested: readonly WalletKey[]): VerifyingKey {
  if ([jwk, kid, x5c].filter((member) => member !== undefined).length !== 1 || x5c !== undefined)
    throw invalid('A proof must name its key by "jwk", or by "kid" (did:jwk, did:key).');
  const named = typeof kid === 'string' ? kid : '';
  const atPlace = /^\d$/.test(named) ? attested[Number(named)]?.jwk : undefined;
  const parsed = verifyingKey(jwk ?? atPlace ?? keyOfDid(named));
  if (parsed === undefined) throw invalid('The key of a proof must be a public key on P-256.');
  return parsed;
}

/** The key of a DID URL that contains its key. A fragment, if there is one, names the only key of the DID. */
function keyOfDid(kid: string): unknown {
  const [, did, encoded, multibase] = /^(did:jwk:([\w-]{1,4096})(?:#0)?|did:key:(z\w{1,64})(?:#\3)?)$/.exec(kid) ?? [];
  if (did === undefined) throw invalid('The "kid" of a proof must be a did:jwk or a did:key.');
  try {
    if (multibase !== undefined) return keyOfDidKey(`did:key:${multibase}`).export({ format: 'jwk' });
    return JSON.parse(Buffer.from(encoded ?? '', 'base64url').toString());
  } catch {
    throw invalid('The DID of a proof has no public key on P-256.');
  }
}
