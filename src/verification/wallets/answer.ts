// The answer of a wallet (contract §36): one for each verification, across all processes. What cannot be read spends nothing; all else decides. For
// same_device, the verdict waits until the page that the wallet opened brings its code.
import { createHash, randomBytes } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import type { PartnerCaller } from '../../base/callers/caller.js';
import { badInput, DomainError } from '../../base/errors.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import { clientId, originAudience } from '../../openid4vp/requests.service.js';
import { readError, readResponse, type WalletResponse } from '../../openid4vp/responses.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { RecordWrites } from '../../store/audit-port.js';
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
  box: SealedBox;
  clock(): number;
}

/** What a wallet posts: an encrypted response, or an error. */
export type PostedAnswer = Readonly<Record<string, unknown>>;

/** Writes what else belongs to an answer, in its transaction. */
type AlsoWrite = (before: VerificationRow, after: VerificationRow, session: ClientSession) => Promise<void>;

const MAX_TRIES = 20;
const CODE_BYTES = 32;

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Processes answers of wallets. */
export class WalletAnswers {
  constructor(private readonly options: WalletAnswerOptions) {}

  /**
   * An answer by redirect or QR code. @returns the address that the wallet opens next, for same_device
   * @throws DomainError NOT_FOUND, CONFLICT, GONE, BAD_USER_INPUT
   */
  async post(requestId: string, body: PostedAnswer): Promise<{ redirect_uri?: string }> {
    const open = await this.options.requests.open({ _id: requestId, flow: { $ne: 'dc_api' } });
    const { request, row } = open;
    const verdict = await this.#verdict(open, clientId(request.certificate), () => this.#posted(request, body));
    if (request.flow !== 'same_device') {
      await this.#decide(open, verdict);
      return {};
    }
    const code = await this.#hold(open, verdict);
    const address = new URL(row.redirectUrl ?? '');
    address.hash = new URLSearchParams({ response_code: code }).toString();
    return { redirect_uri: address.href };
  }

  /**
   * An answer that a page of the partner got: of a browser's API, or the code of a redirect.
   * @throws DomainError NOT_FOUND, CONFLICT, GONE, BAD_USER_INPUT
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
    const after = await this.#decide(open, verdict, async (before, decided, session) => {
      const subject = { operation: 'verification.wallet-answer', subject: verificationId, outcome: 'updated' } as const;
      await recordWrites(caller, [{ ...subject, before, after: decided }], session);
    });
    return recordOf(after);
  }

  #brought(open: OpenRequest, { response, origin, responseCode }: AnswerFromWallet): Promise<Verdict> | Verdict {
    const { request } = open;
    if (request.flow === 'cross_device') throw badInput('The wallet itself sends the answer of this flow.');
    if (request.flow === 'same_device') {
      if (responseCode === undefined) throw badInput('"responseCode" is missing.', 'responseCode');
      return this.#heldVerdict(request, responseCode);
    }
    if (response === undefined) throw badInput('"response" is missing.', 'response');
    if (origin === undefined) throw badInput('"origin" is missing.', 'origin');
    if (!request.origins?.includes(origin))
      throw badInput('"origin" is not one of the origins of the request.', 'origin');
    return this.#verdict(open, originAudience(origin), () => readResponse(response, this.#keyOf(request), undefined));
  }

  async #posted(request: WalletRequestRow, body: PostedAnswer): Promise<WalletResponse> {
    const { response } = body;
    if (typeof response === 'string') return readResponse(response, this.#keyOf(request), request.state);
    const error = readError(body);
    if (body.state !== request.state) throw badInput('"state" is not that of the request.', 'state');
    return error;
  }

  async #heldVerdict(request: WalletRequestRow, responseCode: string): Promise<Verdict> {
    await this.#countTry(request);
    if (request.verdict === undefined || request.codeHash !== hashOf(responseCode))
      throw badInput('"responseCode" is not what the wallet got.', 'responseCode');
    return JSON.parse(request.verdict) as Verdict;
  }

  /** Reads and judges a response. One that cannot be read spends nothing but a try. */
  async #verdict(
    { request, row }: OpenRequest,
    audience: string,
    read: () => Promise<WalletResponse>,
  ): Promise<Verdict> {
    if (request.verdict !== undefined) throw answered();
    await this.#countTry(request);
    const asked = JSON.parse(request.asked) as AskedCredential[];
    return this.options.verdicts.on(row, asked, await read(), audience);
  }

  /** Counts a try before its work, so that the bound holds for tries at once, in all processes. */
  async #countTry({ _id }: WalletRequestRow): Promise<void> {
    const before = await this.options.models.walletRequests
      .findOneAndUpdate({ _id }, { $inc: { tries: 1 } }, { returnDocument: 'before', projection: { tries: 1 } })
      .lean();
    if (before === null) throw answered();
    if (before.tries >= MAX_TRIES) throw badInput('Too many responses could not be read.');
  }

  #keyOf({ _id, publicJwk, sealedKey }: WalletRequestRow) {
    const d = this.options.box.unsealText(sealedKey, { what: 'wallet-response-key', whose: _id });
    return { publicJwk: JSON.parse(publicJwk), d };
  }

  /** Decides. Of two answers at once, one finds the verification open. */
  #decide({ request, row }: OpenRequest, verdict: Verdict, also?: AlsoWrite): Promise<VerificationRow> {
    const { connection, models, closings, provedVerifications } = this.options;
    return transact(connection, async (session) => {
      const before = await this.#openRow(row._id, session);
      await models.walletRequests.deleteOne({ _id: request._id }, { session });
      const { proved, refused } = verdict;
      if (proved) await provedVerifications.prove(before, proved, session, refused);
      else if (refused) await closings.close(before, refused, session);
      const after = await models.verifications.findById(row._id, null, { session }).lean<VerificationRow>();
      if (after === null) throw unknownVerification();
      await also?.(before, after, session);
      return after;
    });
  }

  /** Stores the verdict until the page brings the code that the wallet gets. */
  #hold({ request: { _id }, row }: OpenRequest, verdict: Verdict): Promise<string> {
    const { connection, models } = this.options;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    return transact(connection, async (session) => {
      await this.#openRow(row._id, session);
      // The code has tries of its own: the wallet may have read well at the last one.
      const held = { $set: { verdict: JSON.stringify(verdict), codeHash: hashOf(code), tries: 0 } };
      const free = { _id, verdict: { $exists: false } };
      const { modifiedCount } = await models.walletRequests.updateOne(free, held, { session });
      if (modifiedCount === 0) throw answered();
      const waits = { $set: { reason: 'redirect' as const } };
      await models.verifications.updateOne({ _id: row._id, state: 'open' }, waits, { session });
      return code;
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

function answered(): DomainError {
  return new DomainError('CONFLICT', 'A wallet has answered already.');
}
