// The answer of a wallet (contract §36): one for each verification, across all processes. What cannot be read spends nothing; all else decides. For
// same_device, the verdict waits until the page that the wallet opened brings its code.
import type { ClientSession, Connection } from 'mongoose';
import type { PartnerCaller } from '../../base/callers/caller.js';
import { networkOf } from '../../base/callers/client-address.js';
import { badInput, DomainError } from '../../base/errors.js';
import { AGAIN_MS, IssuerUnreachable } from '../../http/outbound/issuer-reads.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import { clientId, originAudience } from '../../openid4vp/requests.service.js';
import { readError, readResponse, type WalletResponse } from '../../openid4vp/responses.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { AnswerFromWallet } from '../forms/inputs.js';
import type { Verification } from '../forms/verification.js';
import type { ProvedVerifications } from '../outcome/proved-verifications.js';
import type { Closings } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import { isExpired, unknownVerification } from '../records/own-verification.js';
import { recordOf } from '../records/record.js';
import { transact } from '../records/transact.js';
import type { AskedCredential } from './asked.js';
import type { WalletModels, WalletRequestRow } from './models.js';
import {
  type AnswerCode,
  type AnswerResponse,
  codeOf,
  hashOf,
  type PostedAnswer,
  repeatedResponse,
  responseOf,
} from './repeated-answers.js';
import type { OpenRequest, WalletRequests } from './requests.js';
import type { Verdict, Verdicts } from './verdict.js';

export interface WalletAnswerOptions {
  connection: Connection;
  models: VerificationModels & WalletModels;
  requests: WalletRequests;
  verdicts: Verdicts;
  closings: Closings;
  provedVerifications: ProvedVerifications;
  partners: PartnerDirectory;
  recordWrites: RecordWrites;
  limits: RateLimits;
  box: SealedBox;
  clock(): number;
}

/** Writes what else belongs to an answer, in its transaction. */
type AlsoWrite = (before: VerificationRow, after: VerificationRow, session: ClientSession) => Promise<void>;

/** Of one sender, so that others who know the address of a request cannot use up the wallet's. */
const BY_REQUEST: RateLimit = { name: 'answers by request and sender', max: 20, seconds: 3_600, what: 'responses' };
/** How many times an answer is put off because its issuer cannot be reached. */
const MAX_PUT_OFF = 2;

/** What else belongs to a decision: more writes, and the code of an answer that its wallet may repeat. */
interface BesideDecision {
  also?: AlsoWrite;
  code?: AnswerCode;
}

/** What is not needed any more of a request that was answered. */
const ONLY_OPEN = {
  asked: 1,
  certificate: 1,
  publicJwk: 1,
  sealedKey: 1,
  state: 1,
  verifierId: 1,
  putOff: 1,
  putOffAt: 1,
};

/** Processes answers of wallets. */
export class WalletAnswers {
  constructor(private readonly options: WalletAnswerOptions) {}

  /**
   * An answer by redirect or QR code. The same encrypted answer again gets the same response, for a minute.
   * @param address the IP address from which it comes
   * @throws DomainError NOT_FOUND, CONFLICT, GONE, BAD_USER_INPUT, RATE_LIMITED; IssuerUnreachable
   */
  async post(requestId: string, body: PostedAnswer, address: string): Promise<AnswerResponse> {
    try {
      return await this.#accept(requestId, body, address);
    } catch (refusal) {
      const repeated = await repeatedResponse(this.options, { requestId, answer: body, refusal });
      if (repeated === undefined) throw refusal;
      return repeated;
    }
  }

  async #accept(requestId: string, body: PostedAnswer, address: string): Promise<AnswerResponse> {
    const open = await this.options.requests.open({ _id: requestId, flow: { $ne: 'dc_api' } });
    const { request, row } = open;
    const sender = networkOf(address);
    const verdict = await this.#verdict(open, clientId(request.certificate), sender, () => this.#posted(request, body));
    const code = codeOf(this.options, requestId, body);
    if (request.flow === 'same_device') await this.#hold(open, verdict, code);
    else await this.#decide(open, verdict, { code });
    return responseOf(request.flow, row.redirectUrl, code.code);
  }

  /**
   * An answer that a page of the partner got: of a browser's API, or the code of a redirect.
   * @throws DomainError NOT_FOUND, CONFLICT, GONE, BAD_USER_INPUT, RATE_LIMITED; IssuerUnreachable
   */
  async bring(caller: PartnerCaller, verificationId: string, body: AnswerFromWallet): Promise<Verification> {
    const { models, requests, clock, recordWrites } = this.options;
    const { partnerId } = caller;
    const row = await models.verifications.findOne({ _id: verificationId, partnerId }).lean<VerificationRow>();
    if (row?.wallet === undefined) throw unknownVerification();
    if (isExpired(row, clock()))
      throw new DomainError('GONE', 'The verification has expired; the partner may start another.');
    if (row.state !== 'open') throw answered();
    const open = await requests.open({ verificationId });
    const verdict = await this.#brought(open, body);
    const also: AlsoWrite = async (before, decided, session) => {
      const subject = { operation: 'verification.wallet-answer', subject: verificationId, outcome: 'updated' } as const;
      await recordWrites(caller, [{ ...subject, before, after: decided }], session);
    };
    const after = await this.#decide(open, verdict, { also });
    return recordOf(after);
  }

  #brought(open: OpenRequest, { response, origin, responseCode }: AnswerFromWallet): Promise<Verdict> | Verdict {
    const { request } = open;
    if (request.flow === 'cross_device') throw badInput('The wallet itself sends the answer of this flow.');
    if (request.flow === 'same_device') {
      if (responseCode === undefined) throw badInput('"responseCode" is missing.', 'responseCode');
      return heldVerdict(request, responseCode);
    }
    if (response === undefined) throw badInput('"response" is missing.', 'response');
    if (origin === undefined) throw badInput('"origin" is missing.', 'origin');
    if (!request.origins?.includes(origin))
      throw badInput('"origin" is not one of the origins of the request.', 'origin');
    const read = () => readResponse(response, this.#keyOf(request), undefined);
    return this.#verdict(open, originAudience(origin), 'partner', read);
  }

  async #posted(request: WalletRequestRow, body: PostedAnswer): Promise<WalletResponse> {
    const { response } = body;
    if (typeof response === 'string') return readResponse(response, this.#keyOf(request), request.state);
    const error = readError(body);
    if (body.state !== request.state) throw badInput('"state" is not that of the request.', 'state');
    return error;
  }

  /** Reads and judges a response. One that cannot be read spends nothing but a try of its sender. */
  async #verdict(
    { request, row }: OpenRequest,
    audience: string,
    sender: string,
    read: () => Promise<WalletResponse>,
  ): Promise<Verdict> {
    if (request.verdict !== undefined) throw answered();
    // Counted before the work, so that the bound holds for answers at once, in all processes.
    await this.options.limits.count([BY_REQUEST, `${request._id} ${sender}`]);
    const asked = JSON.parse(request.asked) as AskedCredential[];
    const { isPassing, ...verdict } = await this.options.verdicts.on(row, asked, await read(), audience);
    if (isPassing && !(await this.#isPutOffEnough(request))) throw new IssuerUnreachable();
    return verdict;
  }

  /** Whether the answer to a request was put off often enough. A further one counts once the issuer is asked again. */
  async #isPutOffEnough({ _id }: WalletRequestRow): Promise<boolean> {
    const { models, clock } = this.options;
    const now = clock();
    const isDue = { $or: [{ putOffAt: { $exists: false } }, { putOffAt: { $lte: new Date(now - AGAIN_MS) } }] };
    const change = { $inc: { putOff: 1 }, $set: { putOffAt: new Date(now) } };
    const counted = await models.walletRequests
      .findOneAndUpdate({ _id, ...isDue }, change, { returnDocument: 'after', projection: { putOff: 1 } })
      .lean();
    return (counted?.putOff ?? 0) > MAX_PUT_OFF;
  }

  #keyOf({ _id, publicJwk, sealedKey }: WalletRequestRow) {
    const d = this.options.box.unsealText(sealedKey, { what: 'wallet-response-key', whose: _id });
    return { publicJwk: JSON.parse(publicJwk), d };
  }

  /** Decides. Of two answers at once, one finds the verification open. */
  #decide({ request, row }: OpenRequest, verdict: Verdict, { also, code }: BesideDecision): Promise<VerificationRow> {
    const { connection, closings, provedVerifications, models } = this.options;
    return transact(connection, async (session) => {
      const before = await this.#openRow(row._id, session);
      await this.#end(request, code, session);
      const { proved, refused } = verdict;
      if (proved) await provedVerifications.prove(before, proved, session, refused);
      else if (refused) await closings.close(before, refused, session);
      const after = await models.verifications.findById(row._id, null, { session }).lean<VerificationRow>();
      if (after === null) throw unknownVerification();
      await also?.(before, after, session);
      return after;
    });
  }

  /** Deletes a request that is decided, but for what a repeat of its answer is recognized by. */
  async #end({ _id }: WalletRequestRow, code: AnswerCode | undefined, session: ClientSession): Promise<void> {
    const { walletRequests } = this.options.models;
    const { stored } = code ?? {};
    if (stored?.repeatableUntil === undefined) await walletRequests.deleteOne({ _id }, { session });
    else {
      const change = { $set: { ...stored, expireAt: stored.repeatableUntil }, $unset: ONLY_OPEN };
      await walletRequests.updateOne({ _id }, change, { session });
    }
  }

  /** Stores the verdict until the page brings the code that the wallet gets. */
  #hold({ request: { _id }, row }: OpenRequest, verdict: Verdict, { stored }: AnswerCode): Promise<void> {
    const { connection, models } = this.options;
    return transact(connection, async (session) => {
      await this.#openRow(row._id, session);
      const held = { $set: { verdict: JSON.stringify(verdict), ...stored } };
      const free = { _id, verdict: { $exists: false } };
      const { modifiedCount } = await models.walletRequests.updateOne(free, held, { session });
      if (modifiedCount === 0) throw answered();
      const waits = { $set: { reason: 'redirect' as const } };
      await models.verifications.updateOne({ _id: row._id, state: 'open' }, waits, { session });
    });
  }

  /** @throws DomainError CONFLICT, GONE. */
  async #openRow(_id: string, session: ClientSession): Promise<VerificationRow> {
    const { models, clock } = this.options;
    const row = await models.verifications.findById(_id, null, { session }).lean<VerificationRow>();
    if (row?.state !== 'open') throw answered();
    if (isExpired(row, clock())) throw new DomainError('GONE', 'The request has expired.');
    return row;
  }
}

/** The verdict that waits for a code of 256 bits. @throws DomainError BAD_USER_INPUT. */
function heldVerdict({ verdict, codeHash }: WalletRequestRow, responseCode: string): Verdict {
  if (verdict !== undefined && codeHash === hashOf(responseCode)) return JSON.parse(verdict) as Verdict;
  throw badInput('"responseCode" is not what the wallet got.', 'responseCode');
}

function answered(): DomainError {
  return new DomainError('CONFLICT', 'A wallet has answered already.');
}
