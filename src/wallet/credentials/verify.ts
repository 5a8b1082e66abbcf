// Verifies the user who is logged in for a program. Before the user's click, neither the page nor the gateway learns
// which credentials can be proven.
import { parsedUrl } from '../../common/parsed-url.js';
import { CoreServiceError } from '../../sdk/core/error.js';
import type { ConsentScreen } from '../../sdk/core/screens.js';
import type { CredentialVerificationResult, VerifyCredentialOptions } from '../../sdk/core/types.js';
import { callGateway, Refusal } from '../gateway.js';
import { falseAnswer } from '../keys/holder.js';
import { consentsOf } from '../texts-consents.js';
import { beforeClick } from './before-click.js';
import { type Held, heldFor, termsOf, type VerificationRequest } from './held.js';
import type { CredentialParts, FlowDialog } from './parts.js';
import { provingScreen, unmetScreen } from './proving-screen.js';
import { TakenUp } from './taken-up.js';
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

/** Answers that are under way, by holder and program: another call waits for them. */
const underWay = new TakenUp<Result>();

/**
 * Verifies the user. A call after `Pending`, or after one that was closed once it had sent the answer, returns the result of the same verification, and
 * does not ask again. @throws CoreServiceError.
 */
export async function verifyCredential(parts: CredentialParts, options: VerifyCredentialOptions): Promise<Result> {
  const { programId } = options;
  const link = linkOf(parts, options.redirectUrl);
  const { id: userId } = parts.session.requireLogin();
  const unfinished = new UnfinishedVerifications(parts.store, userId);
  const name = `${userId} ${programId}`;
  const running = await underWay.take(name)?.catch(() => undefined);
  if (running && running.status !== 'Pending') return finished(parts, unfinished, programId, running);
  const before = unfinished.of(programId);
  const { verificationId, state } = (await compliant(before, options)) ?? (await started(options, userId));
  const path = `/v1/verifications/${verificationId}`;
  if (state !== 'open') {
    if (before?.verificationId !== verificationId) unfinished.set({ programId, verificationId });
    await parts.ensureKeys();
    return finished(parts, unfinished, programId, await waited(parts, path));
  }
  let sent: Promise<Result> | undefined;
  const result = await parts.inDialog(async (dialog) => {
    const begun = (disclosed?: Disclosed): void =>
      unfinished.set({ programId, verificationId, ...(disclosed && { disclosed }) });
    const send = await asked(parts, dialog, { path, link });
    sent = underWay.keep(name, send(begun));
    return sent;
  });
  if (sent) underWay.heard(name, sent);
  return finished(parts, unfinished, programId, result);
}

/** The result for the page, with the CAK that the user has agreed to disclose. */
async function finished(
  parts: CredentialParts,
  unfinished: UnfinishedVerifications,
  programId: string,
  result: Result,
): Promise<Result> {
  if (!STATUSES.includes(result.status)) throw falseAnswer();
  if (result.status === 'Pending') return result;
  const answered = unfinished.of(programId);
  const disclosed = answered?.disclosed;
  const whole = result.status === 'Compliant' && disclosed ? { ...result, ...(await cakOf(parts, disclosed)) } : result;
  if (answered) parts.approved(answered.verificationId);
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
function linkOf({ networkEnv, locale }: CredentialParts, url: string | undefined): ConsentScreen['link'] {
  if (url === undefined) return undefined;
  const { protocol = '', hostname = '' } = parsedUrl(url) ?? {};
  const isLocal = networkEnv === 'sandbox' && /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return { text: consentsOf(locale()).unmet.link, url };
  throw new CoreServiceError('INVALID_PARAMETER', '"redirectUrl" must be an address of https.');
}

/** Sends the user's answer. @param begun is called before that, because the response may be lost */
type Send = (begun: (disclosed?: Disclosed) => void) => Promise<Result>;

/**
 * Asks the user, and prepares the answer. Until the click, what is read stays in the frame. @returns what sends the answer.
 * @throws CoreServiceError USER_CANCELLED.
 */
async function asked(
  parts: CredentialParts,
  { present, progress, ensureKeys, signal }: FlowDialog,
  { path, link }: { path: string; link: ConsentScreen['link'] },
): Promise<Send> {
  const { session, vault } = parts;
  const answer = async (body: object): Promise<Result> =>
    (await session.call<{ result: Result }>(`${path}/answer`, { method: 'POST', body })).result;
  // For everybody, also who has nothing to prove: others could see who loads it.
  void vault.loadProver().catch(() => {});
  // At once, whatever is being read: when the verifier hears of it says nothing.
  const decline = (): void => void answer({ declined: true }).catch(() => {});
  signal.addEventListener('abort', decline, { once: true });
  await ensureKeys();
  const { request, best } = await beforeClick(parts, present, () => read(parts, path));
  const met = best?.explanation.met ? best : undefined;
  await present<'consent'>(met ? provingScreen(parts, request, met) : unmetScreen(parts, request, best, link));
  progress();
  const proof = met && (await proofOf(parts, request, met));
  // Throws if the user has closed the dialog meanwhile: nothing is sent then.
  progress();
  signal.removeEventListener('abort', decline);
  if (met === undefined) return () => answer({ cannot: true });
  const { cak } = request.program;
  return async (begun) => {
    begun(cak ? placeOf(met) : undefined);
    const first = await answer({ ...proof, ...(cak && { cakConsent: true }) });
    return first.status === 'Pending' ? waited(parts, path) : first;
  };
}

/** What is asked, and the credential with which it can be answered best. */
async function read(
  parts: CredentialParts,
  path: string,
): Promise<{ request: VerificationRequest; best: Held | undefined }> {
  const request = await parts.session.call<VerificationRequest>(`${path}/request`);
  if (!path.endsWith(request.challenge.verificationId)) throw falseAnswer();
  const [best] = await heldFor(parts, request);
  return { request, best };
}

async function proofOf(parts: CredentialParts, request: VerificationRequest, held: Held): Promise<object> {
  const { schemaId, schemaVersion, signature } = held.zk;
  const { coreClaimHash, claim } = held;
  const signed = { coreClaimHash, schemaId, schemaVersion, credentialSubject: claim.credentialSubject };
  const proven = await parts.vault.prove(await termsOf(parts, request, held), signed, signature);
  return { coreClaimHash, ...proven };
}

const placeOf = ({ claim: { credentialId, issuerDid, schemaId } }: Held): Disclosed => ({
  credentialId,
  issuerDid,
  schemaId,
});

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
