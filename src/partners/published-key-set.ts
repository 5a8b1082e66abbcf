// The key set that a partner publishes. It is fetched again every minute, and stays valid for a while when its host is unavailable. Ages are measured
// by a monotonic clock.
import { type CompactVerifyGetKey, createLocalJWKSet, errors } from 'jose';
import { DELAYS, pauseAfter } from '../base/concurrency/retry.js';
import { DomainError } from '../base/errors.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { digest } from '../keys/sealed-box.js';
import { fetchKeySet, isUnreachable, KeySetRefused, PrivateKeyPublished, problemOf } from './fetch-key-set.js';

export interface PublishedKeySetOptions {
  fetch: GuardedFetch;
  /** Monotonic, milliseconds. */
  clock(): number;
  /** How old the last valid set may be while it cannot be fetched again, milliseconds. */
  staleIfErrorMs: number;
  /** Called when the last valid set is used although it is too old. */
  onStale(cause: unknown): void;
  /** Called when the set has been fetched. */
  onFetched(): void;
}

interface FetchedKeys {
  find: CompactVerifyGetKey;
  version: string;
  fetchedAt: number;
}

/** From this age on, the set is fetched again in the background. */
const REFRESH_AGE_MS = 45_000;
/** The longest time until a key that was removed from the set is refused, if its host responds. */
const MAX_AGE_MS = 60_000;
/** At most one fetch per second for unknown `kid`s, because anyone can send those. */
const COOLDOWN_MS = 1_000;
const RETRY_AFTER_S = 5;

/** The cached key set of one partner, fetched from its published address. */
export class PublishedKeySet {
  #keys: FetchedKeys | undefined;
  #attempt: Promise<void> | undefined;
  #failure: { cause: unknown; count: number; at: number } | undefined;
  #problem: string | null | undefined;

  constructor(
    private readonly jwksUri: string,
    private readonly options: PublishedKeySetOptions,
  ) {}

  /** Finds the key that a token's header names. @throws when there is none or more than one. */
  readonly getKey: CompactVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#ageOf(keys) < COOLDOWN_MS) throw error;
    }
    // The partner may have a new key, which cannot be fetched while its host is unavailable.
    await this.#fetchUnlessPaused()?.catch(() => {});
    const newer = await this.#current();
    if (this.#failure !== undefined) throw unavailable(this.#failure.cause);
    return newer.find(header, token);
  };

  /** The fault of the set that the host publishes; null: it has none, undefined: no set was fetched yet. */
  get problem(): string | null | undefined {
    return this.#problem;
  }

  /** Changes with the set's content. @throws what `#current` throws. */
  async version(): Promise<string> {
    return (await this.#current()).version;
  }

  /**
   * The set to use now. Requests wait for a fetch only when there is no set that may be used.
   * @throws DomainError STORE_UNAVAILABLE when the host is unavailable; the error of the set when none was ever valid.
   */
  async #current(): Promise<FetchedKeys> {
    if (this.#keys !== undefined && this.#ageOf(this.#keys) < REFRESH_AGE_MS) return this.#keys;
    const attempt = this.#fetchUnlessPaused() ?? this.#attempt;
    if (this.#mayUse()) attempt?.catch(() => {});
    else await attempt?.catch(() => {});
    const keys = this.#keys;
    const { staleIfErrorMs, onStale } = this.options;
    const cause = this.#failure?.cause;
    if (keys === undefined || this.#ageOf(keys) >= staleIfErrorMs) throw this.#refusal(cause);
    if (this.#ageOf(keys) >= MAX_AGE_MS) onStale(cause);
    return keys;
  }

  /** Whether the cached set may be used while it is fetched again: it is recent enough, or its host is unavailable. */
  #mayUse(): boolean {
    if (this.#keys === undefined) return false;
    const limit = this.#failure === undefined ? MAX_AGE_MS : this.options.staleIfErrorMs;
    return this.#ageOf(this.#keys) < limit;
  }

  #refusal(cause: unknown): unknown {
    return this.#keys !== undefined || isUnreachable(cause) ? unavailable(cause) : cause;
  }

  #ageOf({ fetchedAt }: FetchedKeys): number {
    return this.options.clock() - fetchedAt;
  }

  /** The fetch in progress, or a new one; undefined during a pause. */
  #fetchUnlessPaused(): Promise<void> | undefined {
    if (this.#attempt !== undefined) return this.#attempt;
    const { count, at } = this.#failure ?? { count: 0, at: 0 };
    if (count > 0 && this.options.clock() - at < pauseAfter(DELAYS.keySet, count)) return undefined;
    this.#attempt = this.#fetch().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #fetch(): Promise<void> {
    const { fetch, clock, onFetched } = this.options;
    // As old as the request: the host may have replaced the set since it began to respond.
    const fetchedAt = clock();
    try {
      const { set, body } = await fetchKeySet(this.jwksUri, fetch);
      this.#keys = { find: createLocalJWKSet(set), version: digest(body), fetchedAt };
      this.#failure = undefined;
      this.#problem = problemOf(set);
      onFetched();
    } catch (cause) {
      // Anyone who can read that private key can sign as the partner, so its earlier keys are no longer trusted either.
      if (cause instanceof PrivateKeyPublished) this.#keys = undefined;
      if (cause instanceof KeySetRefused) this.#problem = cause.message;
      this.#failure = { cause, count: (this.#failure?.count ?? 0) + 1, at: clock() };
      throw cause;
    }
  }
}

function unavailable(cause: unknown): DomainError {
  const sentence = "The partner's key set cannot be fetched right now; try again shortly.";
  return new DomainError('STORE_UNAVAILABLE', sentence, { retryAfter: RETRY_AFTER_S }, { cause });
}
