// The credentials of a holder with which a verification can be answered. Each is decrypted, and compared with what the gateway says about it.
import type { EncodedPoint, Explanation, ProofTerms } from '../../zk/holder.js';
import type { Envelope } from '../keys/encryption.js';
import { falseAnswer } from '../keys/holder.js';
import { isSameJson, jsonHash } from './json.js';
import type { CredentialParts } from './parts.js';

/** A credential that the program accepts, with the names that the screen shows. */
interface Accepted extends Required<Pick<ProofTerms, 'credentialId' | 'conditions' | 'accumulators'>> {
  name: string;
  issuerName: string;
  fields: { name: string; title: string }[];
}

/** The response of GET /v1/verifications/{id}/request. */
export interface VerificationRequest {
  challenge: ProofTerms['challenge'];
  program: { name: string; verifierName: string; verifierDid: string; cak: boolean };
  accepted: Accepted[];
  candidates: {
    credentialId: string;
    coreClaimHash: string;
    schemaVersion: number;
    storagePath: string | null;
    vcStatus: string;
    provable: boolean;
  }[];
}

/** What an issuer signs. */
interface Claim {
  issuerDid: string;
  credentialId: string;
  schemaId: string;
  credentialSubject: Record<string, unknown>;
}

/** A credential that can be proven, and which conditions it meets. */
export interface Held {
  coreClaimHash: string;
  claim: Claim;
  zk: { schemaId: string; schemaVersion: number; kid: string; signature: string };
  explanation: Explanation;
}

const LIVE: ReadonlySet<string> = new Set(['WAIT_ONCHAIN', 'ONCHAIN']);
const STORAGE = 'dstorage://vc/';

/**
 * The holder's live credentials that can be proven; those that meet all conditions come first. @throws CoreServiceError
 * if the gateway's response contradicts a credential.
 */
export async function heldFor(parts: CredentialParts, request: VerificationRequest): Promise<Held[]> {
  const candidates = request.candidates.filter(({ provable, vcStatus }) => provable && LIVE.has(vcStatus));
  const held: Held[] = [];
  for (const candidate of candidates) {
    const one = await open(parts, request, candidate);
    if (one) held.push(one);
  }
  return held.sort((a, b) => Number(b.explanation.met) - Number(a.explanation.met));
}

/**
 * Decrypts a credential. @returns undefined if it is not stored at the gateway, was encrypted to a key that is not in this
 * browser, or contains no provable signature.
 */
async function open(
  { session, keys, vault }: CredentialParts,
  request: VerificationRequest,
  { credentialId, coreClaimHash, storagePath }: VerificationRequest['candidates'][number],
): Promise<Held | undefined> {
  if (storagePath === null) return undefined;
  const id = storagePath.slice(STORAGE.length);
  const envelope = await session.call<Envelope>(`/v1/holders/me/credentials/${encodeURIComponent(id)}`);
  const text = await keys.decrypt(envelope);
  if (text === null) return undefined;
  const { vc, coreClaim, zk } = JSON.parse(text) as { vc: string; coreClaim: Claim; zk?: Held['zk'] };
  if (zk === undefined) return undefined;
  const signed = await vault.signedClaims(vc, coreClaim.issuerDid);
  const isWhole =
    coreClaim.credentialId === credentialId &&
    (await jsonHash(coreClaim)) === coreClaimHash &&
    signed?.issuer === coreClaim.issuerDid &&
    isSameJson(withoutId(signed.credentialSubject), withoutId(coreClaim.credentialSubject));
  if (!isWhole) throw falseAnswer();
  const [explanation] = await vault.explain(request, coreClaim, Date.parse(request.challenge.now));
  return explanation && { coreClaimHash, claim: coreClaim, zk, explanation };
}

function withoutId(subject: unknown): object {
  const { id: _id, ...rest } = Object(subject);
  return rest;
}

/** The terms of a proof. */
export async function termsOf(
  { session }: CredentialParts,
  request: VerificationRequest,
  { claim, zk }: Held,
): Promise<ProofTerms> {
  const { schemaId, schemaVersion, kid } = zk;
  const accepted = request.accepted.find(({ credentialId }) => credentialId === claim.credentialId);
  if (accepted === undefined) throw falseAnswer();
  const path = `/v1/schemas/${encodeURIComponent(schemaId)}/versions/${schemaVersion}/encoding`;
  const { points } = await session.call<{ points: EncodedPoint[] }>(path);
  const { credentialId, conditions, accumulators } = accepted;
  const { challenge } = request;
  return { challenge, credentialId, conditions, accumulators, schemaId, schemaVersion, kid, points };
}
