// Issuer-hosted credentials (contract §6): we ask issuers what a holder can have, and to issue it; they store it through dstorage/vcs.
import { randomUUID } from 'node:crypto';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  handleWhen,
  type RetryPolicy,
  retry,
} from 'cockatiel';
import { z } from 'zod';
import type { HolderCaller } from '../caller.js';
import type { IssuingCatalog } from '../catalog/issuing.service.js';
import type { IssuerRow } from '../catalog/models.js';
import { DomainError } from '../errors.js';
import type { Holders } from '../holders/holders.service.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { type GuardedAnswer, type GuardedFetch, GuardedFetchError } from '../partners/outbound.service.js';

/** One credential that an issuer has ready for a holder; the preview is encrypted to the holder. */
export interface AvailableCredential {
  issuerId: string;
  schemaId: string;
  proofType: string | null;
  credentialSubject: { encryptedData: string; iv: string; authTag: string; dataEncPublicKey: string };
}

/** What issuers answered; those that did not are named. */
export interface AvailableAnswer {
  items: AvailableCredential[];
  unavailable: string[];
}

export interface IssuerHostedOptions {
  catalog: IssuingCatalog;
  holders: Holders;
  box: SealedBox;
  outbound: GuardedFetch;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;
const RETRIES = 2;
/** Failures in a row that open an issuer's circuit, and how long it stays open. */
const BREAK_AFTER = 5;
const BREAK_MS = 30_000;
/** Issuers asked at once when none is named. */
const MAX_ISSUERS = 20;
/** Circuits kept. */
const MAX_CIRCUITS = 1_000;

const text = (max: number) => z.string().min(1).max(max);
const preview = z.object({
  holderDID: text(200),
  schemaId: text(500),
  credentialSubject: z.object({
    encryptedData: text(MAX_BYTES),
    iv: text(64),
    authTag: text(64),
    dataEncPublicKey: text(512),
  }),
  proofType: text(50).nullish(),
});
const previews = z.object({ data: z.array(preview).max(1_000) });

/** The issuer answered that it is away: worth another try, while every other answer is its word. */
class IssuerAway extends Error {
  override readonly name = 'IssuerAway';
}

/** Surely nothing was done yet: the connection was not made, or the issuer's own front said so. Never after a time-out. */
const retriable = handleWhen(
  (error) => error instanceof IssuerAway || (error instanceof GuardedFetchError && error.reason === 'connect'),
);

interface Circuit {
  retry: RetryPolicy;
  breaker: CircuitBreakerPolicy;
}

export class IssuerHosted {
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly options: IssuerHostedOptions) {}

  /** What issuers have ready for the holder: one issuer's, or all that offer it. @throws DomainError NOT_FOUND (issuerId). */
  async available(
    caller: HolderCaller,
    { issuerId, schemaId }: { issuerId?: string; schemaId?: string },
  ): Promise<AvailableAnswer> {
    const issuers =
      issuerId === undefined
        ? await this.options.catalog.issuersOffering(MAX_ISSUERS)
        : [await this.#issuer(issuerId, 'availableVcUrl')];
    const answers = await Promise.allSettled(issuers.map((issuer) => this.#previews(caller, issuer, schemaId)));
    const items = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const unavailable = issuers.filter((_, at) => answers[at]?.status === 'rejected').map(({ _id }) => _id);
    return { items, unavailable };
  }

  /**
   * Has the issuer issue; it stores the credential itself, and a `stored` event follows.
   * @throws DomainError NOT_FOUND (issuerId), CONFLICT when the issuer refuses, STORE_UNAVAILABLE when it does not answer.
   */
  async issue(
    caller: HolderCaller,
    { issuerId, schemaId, proofType }: { issuerId: string; schemaId: string; proofType?: string },
  ): Promise<{ requestId: string }> {
    const issuer = await this.#issuer(issuerId, 'issueVcUrl');
    const requestId = randomUUID();
    const body = { ...(await this.#holderFacts(caller)), schemaId, ...(proofType === undefined ? {} : { proofType }) };
    const answer = await this.#call(issuer, issuer.issueVcUrl ?? '', requestId, body);
    if (answer.status < 200 || answer.status >= 300)
      throw new DomainError('CONFLICT', `The issuer refused to issue (HTTP ${answer.status}).`);
    return { requestId };
  }

  async #issuer(issuerId: string, url: 'availableVcUrl' | 'issueVcUrl'): Promise<IssuerRow> {
    const issuer = await this.options.catalog.issuer(issuerId);
    if (!issuer?.live || !issuer[url])
      throw new DomainError('NOT_FOUND', 'No issuer of this issuerId issues by itself.', { field: 'issuerId' });
    return issuer;
  }

  async #holderFacts({
    holderId,
    partnerId,
  }: HolderCaller): Promise<{ holderDID: string; pubKey: string; userId: string }> {
    const { holders } = this.options;
    const recipient = await holders.recipientById(holderId);
    if (!recipient) throw new DomainError('NOT_FOUND', 'There is no such holder any more.');
    const own = partnerId === undefined ? undefined : await holders.partnerUserIdOf(holderId, partnerId);
    return { holderDID: recipient.did, pubKey: recipient.publicKey, userId: own ?? holderId };
  }

  async #previews(
    caller: HolderCaller,
    issuer: IssuerRow,
    schemaId: string | undefined,
  ): Promise<AvailableCredential[]> {
    const facts = await this.#holderFacts(caller);
    const answer = await this.#call(issuer, issuer.availableVcUrl ?? '', randomUUID(), {
      ...facts,
      ...(schemaId === undefined ? {} : { schemaId }),
    });
    if (answer.status !== 200)
      throw new DomainError('STORE_UNAVAILABLE', `The issuer ${issuer._id} answered HTTP ${answer.status}.`);
    const parsed = previews.safeParse(jsonOf(answer));
    if (!parsed.success)
      throw new DomainError(
        'STORE_UNAVAILABLE',
        `The issuer ${issuer._id} answered in a form that is not the contract's.`,
      );
    // An issuer speaks about this holder only, whatever it answers.
    const own = parsed.data.data.filter(
      (item) => item.holderDID === facts.holderDID && (schemaId === undefined || item.schemaId === schemaId),
    );
    return own.map((item) => ({
      issuerId: issuer._id,
      schemaId: item.schemaId,
      proofType: item.proofType ?? null,
      credentialSubject: item.credentialSubject,
    }));
  }

  /** One call with retries, behind the issuer's own circuit breaker. @throws DomainError STORE_UNAVAILABLE. */
  async #call(issuer: IssuerRow, url: string, key: string, body: object): Promise<GuardedAnswer> {
    const circuit = this.#circuit(issuer._id);
    try {
      return await circuit.breaker.execute(() => circuit.retry.execute(() => this.#once(issuer, url, key, body)));
    } catch (cause) {
      if (cause instanceof BrokenCircuitError)
        throw new DomainError(
          'STORE_UNAVAILABLE',
          `The issuer ${issuer._id} has failed several times; it is asked again in a moment.`,
          { retryAfter: BREAK_MS / 1_000 },
        );
      if (cause instanceof GuardedFetchError || cause instanceof IssuerAway)
        throw new DomainError('STORE_UNAVAILABLE', `The issuer ${issuer._id} could not be reached.`, {}, { cause });
      throw cause;
    }
  }

  async #once(issuer: IssuerRow, url: string, key: string, body: object): Promise<GuardedAnswer> {
    const { outbound, box } = this.options;
    const apiKey =
      issuer.apiKeySealed === undefined
        ? undefined
        : box.unsealText(issuer.apiKeySealed, { what: 'api-key', whose: issuer._id });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'idempotency-key': key,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    const answer = await outbound(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if ([502, 503, 504].includes(answer.status)) throw new IssuerAway(`HTTP ${answer.status}`);
    return answer;
  }

  #circuit(issuerId: string): Circuit {
    const known = this.#circuits.get(issuerId);
    if (known) return known;
    const circuit = {
      retry: retry(retriable, {
        maxAttempts: RETRIES,
        backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 1_000 }),
      }),
      breaker: circuitBreaker(handleAll, { halfOpenAfter: BREAK_MS, breaker: new ConsecutiveBreaker(BREAK_AFTER) }),
    };
    if (this.#circuits.size >= MAX_CIRCUITS) this.#circuits.delete(this.#circuits.keys().next().value ?? '');
    this.#circuits.set(issuerId, circuit);
    return circuit;
  }
}

function jsonOf({ body }: GuardedAnswer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined; // Told by the caller as a form that is not the contract's.
  }
}
