// One attempt: signs a delivery, sends it through the guarded fetch, and returns the outcome.
import type { GuardedResponse, GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../http/outbound/guarded-fetch-error.js';
import { retryAfterOf } from '../http/outbound/retry-after.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { DeliveryAttempt, WebhookRow } from './models.js';
import { type SignDelivery, signerOf } from './signing.js';

const TIMEOUT_MS = 15_000;
/** The most bytes of a response that are read, and the most characters of it that are stored. */
const MAX_RESPONSE_BYTES = 65_536;
const STORED_CHARACTERS = 500;
const GONE = 410;

/** The outcome of an attempt. */
export interface AttemptOutcome {
  attempt: DeliveryAttempt;
  delivered: boolean;
  /** The receiver responded with 410: it wants no further deliveries. */
  gone: boolean;
  /** Milliseconds that the receiver asked to wait. */
  retryAfterMs?: number | undefined;
}

/** The address and signing function of an endpoint. */
export interface DeliveryTarget {
  partnerId: string;
  url: string;
  sign: SignDelivery;
}

/** Sends deliveries. */
export class DeliveryAttempts {
  constructor(
    private readonly outbound: GuardedFetch,
    private readonly box: SealedBox,
    private readonly clock: () => number,
    /** Called after every attempt. */
    private readonly onEnded: (outcome: AttemptOutcome) => void = () => {},
  ) {}

  /** Unseals the secrets of an endpoint once, for many deliveries. @throws UnsealError. */
  targetOf(row: WebhookRow): DeliveryTarget {
    return { partnerId: row.partnerId, url: row.url, sign: signerOf(this.box, row) };
  }

  /**
   * Sends one delivery. It succeeds only with a 2xx response; redirects are not followed. Undefined if the signal
   * aborted it.
   */
  async send(
    { url, sign }: Pick<DeliveryTarget, 'url' | 'sign'>,
    delivery: { id: string; body: string },
    signal?: AbortSignal,
  ): Promise<AttemptOutcome | undefined> {
    const outcome = await this.#attempt({ url, sign }, delivery, signal);
    if (outcome !== undefined) this.onEnded(outcome);
    return outcome;
  }

  async #attempt(
    { url, sign }: Pick<DeliveryTarget, 'url' | 'sign'>,
    delivery: { id: string; body: string },
    signal?: AbortSignal,
  ): Promise<AttemptOutcome | undefined> {
    const now = this.clock();
    const began = performance.now();
    const attempt = () => ({ at: new Date(now), durationMs: Math.round(performance.now() - began) });
    const request = { method: 'POST', headers: sign(delivery, new Date(now)), body: delivery.body } as const;
    const limits = {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      cut: true,
      repeatable: true,
      ...(signal ? { signal } : {}),
    };
    try {
      const response = await this.outbound(url, { ...request, ...limits });
      return outcomeOf(response, attempt(), this.clock());
    } catch (error) {
      if (signal?.aborted) return undefined;
      if (!(error instanceof GuardedFetchError)) throw error;
      return { attempt: { ...attempt(), error: error.message }, delivered: false, gone: false };
    }
  }
}

function outcomeOf(response: GuardedResponse, attempt: DeliveryAttempt, now: number): AttemptOutcome {
  const { status, retryAfter } = response;
  const text = excerptOf(response.body);
  return {
    attempt: { ...attempt, status, ...(text === '' ? {} : { answer: text }) },
    delivered: status >= 200 && status < 300,
    gone: status === GONE,
    retryAfterMs: retryAfterOf(retryAfter, now),
  };
}

/** The beginning of a response as text, without control characters. */
function excerptOf(body: Buffer): string {
  const text = body.subarray(0, 4 * STORED_CHARACTERS).toString('utf8');
  return text.replace(/\p{C}/gu, ' ').trim().slice(0, STORED_CHARACTERS);
}
