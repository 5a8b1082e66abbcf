// A client of the gateway's offers (contract §34), with a partner's token. Nothing that it throws has an address or a code of an offer.
import { setTimeout as pause } from 'node:timers/promises';
import { badInput, DomainError, ERRORS, type ErrorCode } from '../base/errors.js';
import { writeJson } from '../base/json/exact-json.js';
import { isJsonObject } from '../base/json/json-object.js';
import { retryAfterOf } from '../http/outbound/retry-after.js';
import { refusalOf } from './gateway.js';
import type { TokenSource } from './partner-token.js';

/** What the gateway says of a new offer; without `offerId`: the recipient has a live credential, and keeps it. */
export interface NewOffer {
  offerId: string | null;
  offerUri: string | null;
  txCode: string | null;
  expiresAt: string | null;
  userUuid: string;
  coreClaimHash: string | null;
}

/** A row that the gateway refuses, whatever it says to the others. */
export interface OfferRefusal {
  code: ErrorCode;
  message: string;
}

/** Refusals that are about the whole run. */
const OF_RUN: readonly number[] = [401, 403];
/** The gateway counts offers by the minute. Longer waits are for one recipient. */
const MAX_WAIT_MS = 60_000;
const MAX_TRIES = 20;

/** Makes and withdraws offers, one after the other. */
export class OfferClient {
  /** @param signal ends the wait before a further attempt */
  constructor(
    private readonly url: string,
    private readonly token: TokenSource,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Makes an offer; waits as long as the gateway asks (`Retry-After`), and reports each wait to `onWait`.
   * @returns undefined if the signal ended the wait
   * @throws DomainError, one sentence, if the gateway cannot be reached, or refuses the whole run
   */
  async create(
    body: object,
    idempotencyKey: string,
    onWait: (seconds: number) => void,
  ): Promise<NewOffer | OfferRefusal | undefined> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send('POST', '/v1/offers', { 'idempotency-key': idempotencyKey }, writeJson(body));
      if (answer.ok) return this.#offerOf(answer);
      const waitMs = retryAfterOf(answer.headers.get('retry-after') ?? undefined, Date.now()) ?? Infinity;
      if (waitMs > MAX_WAIT_MS || tries === MAX_TRIES) return refusal(answer);
      await answer.body?.cancel();
      onWait(Math.ceil(waitMs / 1_000));
      await pause(waitMs, undefined, { signal: this.signal }).catch(() => {});
      if (this.signal.aborted) return undefined;
    }
  }

  /** Withdraws an offer; nothing happens to one that is closed, or that a wallet has taken. @throws DomainError, one sentence. */
  async withdraw(offerId: string): Promise<void> {
    const answer = await this.#send('DELETE', `/v1/offers/${offerId}`, {});
    if (!answer.ok && answer.status !== 404 && answer.status !== 409) throw ofRun(await refusalOf(answer));
  }

  /** @throws DomainError for a response that is cut off, or is no offer: what it has may be an address. */
  async #offerOf(answer: Response): Promise<NewOffer> {
    const offer: unknown = await answer.json().catch(() => undefined);
    if (isJsonObject(offer) && 'offerUri' in offer && typeof offer.userUuid === 'string')
      return offer as unknown as NewOffer;
    const sentence = `${this.url} did not respond with an offer; run the same command again to continue.`;
    throw new DomainError('STORE_UNAVAILABLE', sentence);
  }

  async #send(method: string, path: string, more: Record<string, string>, body?: string): Promise<Response> {
    const headers: Record<string, string> = { ...more, 'x-partner-auth': await this.token() };
    const request: RequestInit = { method, headers, redirect: 'error' };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      request.body = body;
    }
    return fetch(this.url + path, request).catch((cause: unknown) => {
      const sentence = `The gateway at ${this.url} cannot be reached; run the same command again to continue.`;
      throw new DomainError('STORE_UNAVAILABLE', sentence, {}, { cause });
    });
  }
}

const ofRun = (message: string): DomainError => badInput(`The gateway refused: ${message}`);

/** The refusal of a row. @throws DomainError if it is about the whole run. */
async function refusal(answer: Response): Promise<OfferRefusal> {
  const { status } = answer;
  const message = await refusalOf(answer);
  const code = (Object.keys(ERRORS) as ErrorCode[]).find((name) => ERRORS[name].status === status);
  if (code === undefined || status >= 500 || OF_RUN.includes(status)) throw ofRun(message);
  return { code, message };
}
