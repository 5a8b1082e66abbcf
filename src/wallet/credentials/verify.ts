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
import { type Unfinished, UnfinishedVerifications } from './unfinished.js';

/** How long to wait for the chain, milliseconds, and how long the gateway may delay each response, seconds. */
const CHAIN_MS = 60_000;
const WAIT_S = 10;

type Result = CredentialVerificationResult;
type Disclosed = Required<Unfinished>['disclosed'];
const STATUSES: readonly string[] = [
  'Compliant',
  'Non-Compliant',
  'Pending',
  'Revoking',
  'Revoked',
  'Expired',
  'NotFound',
] satisfies Result['status'][];

/**
 * Verifies the user. A call after `Pending` returns the result of the same verification, and does not ask again. @throws
 * CoreServiceError.
 */
export async function verifyCredential(parts: CredentialParts, options: VerifyCredentialOptions): Promise<Result> {
  const { programId } = options;
  const link = linkOf(parts, options.redirectUrl);
  const { id: userId } = parts.session.requireLogin();
  const unfinished = new UnfinishedVerifications(parts.store, userId);
  const before = unfinished.of(programId);
  const { verificationId, state } = (await compliant(before, options)) ?? (await started(options, userId));
  const path = `/v1/verifications/${verificationId}`;
  if (state !== 'open' && before?.verificationId !== verificationId) unfinished.set({ programId, verificationId });
  const result = await parts.withKeys(async (present) => {
    if (state !== 'open') return waited(parts, path);
    const begun = (disclosed?: Disclosed): void =>
      unfinished.set({ programId, verificationId, ...(disclosed && { disclosed }) });
    const first = await answered(parts, present, { path, link, begun });
    return first.status === 'Pending' ? waited(parts, path) : first;
  });
  if (!STATUSES.includes(result.status)) throw falseAnswer();
  if (result.status === 'Pending') return result;
  const disclosed = unfinished.of(programId)?.disclosed;
  const whole = result.status === 'Compliant' && disclosed ? { ...result, ...(await cakOf(parts, disclosed)) } : result;
  if (unfinished.of(programId)) parts.approved(verificationId);
  return whole;
}

interface Started {
  verificationId: string;
  state: string;
}

/** What the partner reads of a verification. */
interface Verified extends Started {
  result: Result;
  current: string | null;
}

/** Starts a verification, or returns the one that waits. */
function started({ programId, authToken }: VerifyCredentialOptions, userId: string): Promise<Started> {
  const body = { programId, userId };
  return callGateway<Started>('/v1/verifications', { method: 'POST', authToken, body });
}

/**
 * The verification that became Compliant after the page was told `Pending`; undefined if there is none, if its proof is
 * deleted, or if its credential has ended meanwhile.
 */
async function compliant(
  unfinished: Unfinished | undefined,
  { authToken }: VerifyCredentialOptions,
): Promise<Started | undefined> {
  if (unfinished === undefined) return undefined;
  const path = `/v1/verifications/${unfinished.verificationId}`;
  const record = await callGateway<Verified>(path, { authToken }).catch(unknown);
  const { result, current } = record ?? {};
  const counts = result?.status === 'Compliant' && current === 'Compliant' && Object.keys(result.zkProofs).length > 0;
  return counts ? record : undefined;
}

/** @returns undefined for a response 404. */
function unknown(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.status !== 404) throw error;
}

/** The address where the holder can get missing credentials. @throws CoreServiceError INVALID_PARAMETER. */
function linkOf({ networkEnv, texts }: CredentialParts, url: string | undefined): ConsentScreen['link'] {
  if (url === undefined) return undefined;
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  const isLocal = networkEnv === 'sandbox' && /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return { text: texts().unmet.link, url };
  throw new CoreServiceError('INVALID_PARAMETER', '"redirectUrl" must be an address of https.');
}

/** Asks the holder for consent, and sends the answer to the verification. @param begun is called before the answer is sent, whose response may be lost */
async function answered(
  parts: CredentialParts,
  present: Present,
  { path, link, begun }: { path: string; link: ConsentScreen['link']; begun(disclosed?: Disclosed): void },
): Promise<Result> {
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
  if (met === undefined) return answer({ cannot: true });
  const { schemaId, schemaVersion, signature } = met.zk;
  const { coreClaimHash, claim } = met;
  const { credentialId, issuerDid, credentialSubject } = claim;
  const signed = { coreClaimHash, schemaId, schemaVersion, credentialSubject };
  const proven = await vault.prove(await termsOf(parts, request, met), signed, signature);
  const { cak } = request.program;
  begun(cak ? { credentialId, issuerDid, schemaId: claim.schemaId } : undefined);
  return answer({ coreClaimHash, ...proven, ...(cak && { cakConsent: true }) });
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
async function cakOf(
  { keys, session }: CredentialParts,
  { credentialId, issuerDid, schemaId }: Disclosed,
): Promise<{ cakPrivateKey?: string }> {
  const terms = await session
    .call<{ issuerId: string }>(`/v1/credentials/${encodeURIComponent(credentialId)}/terms`)
    .catch(unknown);
  if (terms === undefined) return {};
  const cakPrivateKey = await keys.cakPrivateKey({ issuerId: terms.issuerId, issuerDid, schemaId });
  return cakPrivateKey === undefined ? {} : { cakPrivateKey };
}
