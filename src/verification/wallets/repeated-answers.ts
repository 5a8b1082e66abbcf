// Repeats of answers: a wallet whose response was lost, for one because a gateway died, sends its answer again and gets the same response for a minute
// (docs/decisions/0077). Only the wallet can: it has the ciphertext that it sent. Nothing of the answer is stored but a hash of its code.
import { createHash, randomBytes } from 'node:crypto';
import { DomainError } from '../../base/errors.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { WalletFlow, WalletModels, WalletRequestRow } from './models.js';

export interface RepeatOptions {
  models: Pick<VerificationModels & WalletModels, 'verifications' | 'walletRequests'>;
  box: SealedBox;
  clock(): number;
}

/** What a wallet posts: an encrypted response, or an error. */
export type PostedAnswer = Readonly<Record<string, unknown>>;

/** What the wallet gets for its answer: for same_device, the address that it opens next. */
export interface AnswerResponse {
  redirect_uri?: string;
}

/** The code of an answer, and what is stored of it. */
export interface AnswerCode {
  code: string;
  stored: Pick<WalletRequestRow, 'codeHash' | 'repeatableUntil'>;
}

const REPEAT_MS = 60_000;
const CODE_BYTES = 32;

/** SHA-256 of a code, hex. */
export const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Of an encrypted response, the code follows from it and our key, so that nobody else can find it, and nothing is stored. */
const textOf = (requestId: string, response: string): string => `${requestId} ${response}`;

/** A code for an answer. An error in plain text gets a random one: everybody who has read the request could repeat it. */
export function codeOf({ box, clock }: RepeatOptions, requestId: string, { response }: PostedAnswer): AnswerCode {
  const isEncrypted = typeof response === 'string';
  const code = isEncrypted
    ? box.blindIndex('wallet-response-code', textOf(requestId, response))
    : randomBytes(CODE_BYTES).toString('base64url');
  const repeatable = isEncrypted ? { repeatableUntil: new Date(clock() + REPEAT_MS) } : {};
  return { code, stored: { codeHash: hashOf(code), ...repeatable } };
}

/** What a wallet gets for its answer. @param redirectUrl of the verification */
export function responseOf(flow: WalletFlow, redirectUrl: string | null | undefined, code: string): AnswerResponse {
  if (flow !== 'same_device') return {};
  const next = new URL(redirectUrl ?? '');
  next.hash = new URLSearchParams({ response_code: code }).toString();
  return { redirect_uri: next.href };
}

/** The response to an answer that was accepted before; undefined: it was not this one, or is not repeated any more. */
export async function repeatedResponse(
  { models, box, clock }: RepeatOptions,
  { requestId, answer: { response }, refusal }: { requestId: string; answer: PostedAnswer; refusal: unknown },
): Promise<AnswerResponse | undefined> {
  const isOver = refusal instanceof DomainError && (refusal.code === 'NOT_FOUND' || refusal.code === 'CONFLICT');
  if (!isOver || typeof response !== 'string') return undefined;
  const accepted = { _id: requestId, flow: { $ne: 'dc_api' as const }, repeatableUntil: { $gt: new Date(clock()) } };
  const request = await models.walletRequests.findOne(accepted).lean<WalletRequestRow>();
  const codes = box.blindIndexes('wallet-response-code', textOf(requestId, response));
  const code = request && codes.find((each) => hashOf(each) === request.codeHash);
  if (!code) return undefined;
  const row = await models.verifications.findById(request.verificationId).lean<VerificationRow>();
  return row ? responseOf(request.flow, row.redirectUrl, code) : undefined;
}
