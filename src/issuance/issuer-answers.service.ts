// Asks issuers that answer themselves (contract §35): what a wallet's credential contains, or credentials that they signed.
import type { JWK } from 'jose';
import { z } from 'zod';
import type { HolderCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { isJsonObject, type JsonObject } from '../base/json/json-object.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import type { Holders } from '../holders/holders.service.js';
import { type StoredClaim, signedClaim } from '../storage/storage.service.js';
import { BUSY, type IssuerCalls, issuerUnavailable, jsonOf, MAX_BYTES, uuidOf } from './issuer-calls.js';
import type { IssuerLoad } from './issuer-load.js';

export { issuerUnavailable } from './issuer-calls.js';

export interface IssuerAnswersOptions {
  holders: Holders;
  load: IssuerLoad;
  calls: IssuerCalls;
}

/** What a wallet asks for, without an offer. */
export interface WalletQuestion {
  /** Of the wallet's request. */
  requestId: string;
  credentialId: string;
  holderId: string;
  vct: string;
  /** Public keys, and the RFC 7638 thumbprint of each. */
  keys: readonly { jwk: JWK; thumbprint: string }[];
}

/** What an issuer answers. `interval` in seconds. */
export type IssuerAnswer =
  | { kind: 'subject'; subject: JsonObject }
  | { kind: 'credentials'; credentials: string[]; claim?: StoredClaim | undefined }
  | { kind: 'later'; interval: number };

const MAX_INTERVAL = 7 * 86_400;
const MAX_CREDENTIALS = 10;

const later = z.object({ interval: z.int().min(1).max(MAX_INTERVAL) });
const subjectAnswer = z.object({ credentialSubject: z.custom<JsonObject>(isJsonObject) });
const credentialsAnswer = z.object({
  credentials: z.array(z.string().min(1).max(MAX_BYTES)).max(MAX_CREDENTIALS),
  claim: signedClaim.optional(),
});

/** Where an issuer answers for wallets that come without an offer; undefined: nowhere. */
export const walletEndpoint = ({
  managed,
  subjectUrl,
  credentialUrl,
}: Pick<IssuerRow, 'managed' | 'subjectUrl' | 'credentialUrl'>): string | undefined =>
  managed ? subjectUrl : credentialUrl;

/** Calls the issuers. The holder pays points for each call. */
export class IssuerAnswers {
  constructor(private readonly options: IssuerAnswersOptions) {}

  /**
   * An issuer's answer. The same request with the same keys has the same idempotency-key.
   * @throws DomainError CONFLICT when the issuer refuses, NOT_FOUND (holder, endpoint), RATE_LIMITED, STORE_UNAVAILABLE when
   * it fails, does not respond, or answers in another form
   */
  async ask(issuer: IssuerRow, question: WalletQuestion): Promise<IssuerAnswer> {
    const { holders, load, calls } = this.options;
    const { requestId, credentialId, holderId, vct, keys } = question;
    const url = walletEndpoint(issuer);
    if (url === undefined) throw new DomainError('NOT_FOUND', 'The issuer gives credentials by offers alone.');
    const caller: HolderCaller = { kind: 'holder', holderId, sessionId: '', expiresAt: Number.POSITIVE_INFINITY };
    const holder = await holders.byId(holderId);
    if (holder === undefined) throw new DomainError('NOT_FOUND', 'There is no such holder, or it was erased.');
    const about = { credentialId, holderDID: holder.did, userId: holderId };
    const ofKeys = issuer.managed ? {} : { vct, keys: keys.map(({ jwk }) => jwk) };
    const key = uuidOf([requestId, ...(issuer.managed ? [] : keys.map(({ thumbprint }) => thumbprint))]);
    const charge = load.admit(caller, 1);
    const answer = await calls.call(issuer, { caller, charge, url, key, body: { ...about, ...ofKeys } });
    const { status } = answer;
    if (BUSY.includes(status)) throw issuerUnavailable(issuer, `answered HTTP ${status}`);
    if (status >= 400) throw new DomainError('CONFLICT', 'The issuer refused to issue.');
    const read = status === 202 ? laterOf(jsonOf(answer)) : answerOf(issuer, jsonOf(answer));
    if (read === undefined) throw issuerUnavailable(issuer, "answered in a form that is not the contract's");
    return read;
  }
}

function laterOf(content: unknown): IssuerAnswer | undefined {
  const parsed = later.safeParse(content);
  return parsed.success ? { kind: 'later', interval: parsed.data.interval } : undefined;
}

function answerOf({ managed }: IssuerRow, content: unknown): IssuerAnswer | undefined {
  if (managed) {
    const parsed = subjectAnswer.safeParse(content);
    return parsed.success ? { kind: 'subject', subject: parsed.data.credentialSubject } : undefined;
  }
  const parsed = credentialsAnswer.safeParse(content);
  return parsed.success ? { kind: 'credentials', ...parsed.data } : undefined;
}
