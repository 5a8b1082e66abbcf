// Verifies the user who is logged in for a program. Before the user's click, neither the page nor the gateway learns
// which credentials can be proven.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { ConsentScreen, Present } from '../../sdk/core/screens.js';
import type { CredentialVerificationResult, VerifyCredentialOptions } from '../../sdk/core/types.js';
import { callGateway, Refusal } from '../gateway.js';
import { falseAnswer } from '../keys/holder.js';
import { type Held, heldFor, termsOf, type VerificationRequest } from './held.js';
import type { CredentialParts } from './parts.js';
import { provingScreen } from './proving-screen.js';

/** How long to wait for the chain, milliseconds, and how long the gateway may delay each response, seconds. */
const CHAIN_MS = 60_000;
const WAIT_S = 10;

type Result = CredentialVerificationResult;
const STATUSES: readonly string[] = [
  'Compliant',
  'Non-Compliant',
  'Pending',
  'Revoking',
  'Revoked',
  'Expired',
  'NotFound',
] satisfies Result['status'][];

/** Verifies the user. @throws CoreServiceError. */
export async function verifyCredential(parts: CredentialParts, options: VerifyCredentialOptions): Promise<Result> {
  const { session } = parts;
  const link = linkOf(parts, options.redirectUrl);
  const { id: userId } = session.requireLogin();
  const { verificationId, state } = await callGateway<{ verificationId: string; state: string }>('/v1/verifications', {
    method: 'POST',
    authToken: options.authToken,
    body: { programId: options.programId, userId },
  });
  const path = `/v1/verifications/${verificationId}`;
  if (state !== 'open') return ended(await parts.withKeys(() => waited(parts, path)));
  const { result, request, held } = await parts.withKeys((present) => answered(parts, present, path, link));
  const final = result.status === 'Pending' ? await waited(parts, path) : result;
  if (final.status !== 'Compliant' || !request.program.cak || held === undefined) return ended(final);
  return ended({ ...final, ...(await cakOf(parts, held)) });
}

/** The address where the holder can get missing credentials. @throws CoreServiceError INVALID_PARAMETER. */
function linkOf({ networkEnv, texts }: CredentialParts, url: string | undefined): ConsentScreen['link'] {
  if (url === undefined) return undefined;
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  const isLocal = networkEnv === 'sandbox' && /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return { text: texts().unmet.link, url };
  throw new CoreServiceError('INVALID_PARAMETER', '"redirectUrl" must be an address of https.');
}

interface Answered {
  result: Result;
  request: VerificationRequest;
  held?: Held;
}

/** Asks the holder for consent, and sends the answer to the verification. */
async function answered(
  parts: CredentialParts,
  present: Present,
  path: string,
  link: ConsentScreen['link'],
): Promise<Answered> {
  const { session, vault } = parts;
  const request = await session.call<VerificationRequest>(`${path}/request`);
  if (!path.endsWith(request.challenge.verificationId)) throw falseAnswer();
  const held = await heldFor(parts, request);
  const best = held[0];
  const answer = async (body: object): Promise<Result> =>
    (await session.call<{ result: Result }>(`${path}/answer`, { method: 'POST', body })).result;
  const met = best?.explanation.met ? best : undefined;
  const screen = met ? provingScreen(parts, request, met) : unmetScreen(parts, request, best, link);
  if (met) void vault.loadProver().catch(() => {});
  try {
    await present<'consent'>(screen);
  } catch (error) {
    await answer({ declined: true }).catch(() => {});
    throw error;
  }
  if (met === undefined) return { result: await answer({ cannot: true }), request };
  const { schemaId, schemaVersion, signature } = met.zk;
  const { credentialSubject } = met.claim;
  const signed = { coreClaimHash: met.coreClaimHash, schemaId, schemaVersion, credentialSubject };
  const proven = await vault.prove(await termsOf(parts, request, met), signed, signature);
  const { coreClaimHash } = met;
  const consent = request.program.cak ? { cakConsent: true } : {};
  return { result: await answer({ coreClaimHash, ...proven, ...consent }), request, held: met };
}

/** The screen that shows what is missing. Only the holder sees it. */
function unmetScreen(
  parts: CredentialParts,
  { program }: VerificationRequest,
  held: Held | undefined,
  link: ConsentScreen['link'],
): ConsentScreen {
  const { verify, unmet: texts } = parts.texts();
  const missing = held?.explanation.conditions.filter(({ met }) => !met) ?? [];
  return {
    kind: 'consent',
    partnerName: parts.partner.name,
    title: texts.title(program.name),
    hint: texts.hint(parts.partner.name),
    facts: [
      { name: verify.verifier, value: `${program.verifierName} (${program.verifierDid})` },
      {
        name: verify.conditions,
        value: held ? missing.map(({ condition }) => texts.missing(condition)).join('\n') : texts.none,
      },
    ],
    ...(link ? { link } : {}),
    action: texts.action,
  };
}

/** The result, as soon as the proof is on the chain, or after a minute. */
async function waited({ session }: CredentialParts, path: string): Promise<Result> {
  const end = Date.now() + CHAIN_MS;
  for (;;) {
    const { result } = await session.call<{ result: Result }>(`${path}?wait=${WAIT_S}`);
    if (result.status !== 'Pending' || Date.now() >= end) return result;
  }
}

/** The private key of the CAK, which the holder has agreed to disclose. */
async function cakOf({ keys, session }: CredentialParts, { claim }: Held): Promise<{ cakPrivateKey?: string }> {
  const { credentialId, issuerDid, schemaId } = claim;
  const terms = await session
    .call<{ issuerId: string }>(`/v1/credentials/${encodeURIComponent(credentialId)}/terms`)
    .catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
  if (terms === undefined) return {};
  const cakPrivateKey = await keys.cakPrivateKey({ issuerId: terms.issuerId, issuerDid, schemaId });
  return cakPrivateKey === undefined ? {} : { cakPrivateKey };
}

/** A result in the form of the client library. */
function ended(result: Result): Result {
  if (!STATUSES.includes(result.status)) throw falseAnswer();
  return result;
}
