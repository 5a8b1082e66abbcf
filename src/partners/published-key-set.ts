// The key set that a partner publishes. It is fetched again every minute, and stays valid for a while when its host is away. Ages are measured
// by a monotonic clock.
import { type CompactVerifyGetKey, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { DomainError } from '../base/errors.js';
import { type GuardedFetch, isJson } from '../http/guarded-fetch.js';
import { GuardedFetchError } from '../http/guarded-fetch-error.js';
import { privateMemberOf } from '../keys/public-jwk.js';
import { digest } from '../keys/sealed-box.js';

export interface PublishedKeySetOptions {
  fetch: GuardedFetch;
  /** Monotonic, milliseconds. */
  clock(): number;
  /** How old the last valid set may be while it cannot be fetched again, milliseconds. */
  staleIfErrorMs: number;
  /** The last valid set is used although it is too old. */
  onStale(cause: unknown): void;
  /** The set has been fetched. */
  onFetched(): void;
}

interface FetchedKeys {
  find: CompactVerifyGetKey;
  version: string;
  fetchedAt: number;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** From this age on, the set is fetched again in the background. */
const REFRESH_AGE_MS = 45_000;
/** Longest time until a key that was removed from the set is refused, if its host answers. */
const MAX_AGE_MS = 60_000;
/** At most one fetch per second for unknown `kid`s, because anyone can send those. */
const COOLDOWN_MS = 1_000;
/** The pause after a failed fetch, doubled each time, so that a host that is away is not flooded. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
const RETRY_AFTER_S = 5;

/** The host is away. */
class HostAway extends Error {
  override readonly name = 'HostAway';
}

/** A published key set contains a private key: anyone who reads it can sign tokens as the partner. */
export class PrivateKeyPublished extends Error {
  override readonly name = 'PrivateKeyPublished';
}

/** The cached key set of one partner, fetched from its published address. */
export class PublishedKeySet {
  #keys: FetchedKeys | undefined;
  #attempt: Promise<void> | undefined;
  #failure: { cause: unknown; count: number; at: number } | undefined;

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
    // The partner may have a new key. Whether it has cannot be said while its host is away.
    await this.#fetchUnlessPaused()?.catch(() => {});
    const newer = await this.#current();
    if (this.#failure !== undefined) throw unavailable(this.#failure.cause);
    return newer.find(header, token);
  };

  /** Changes with the set's content. @throws what `#current` throws. */
  async version(): Promise<string> {
    return (await this.#current()).version;
  }

  /**
   * The set to use now. Requests wait for a fetch only when there is no set that may be used.
   * @throws DomainError STORE_UNAVAILABLE when the host is away; the error of the set when none was ever valid.
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

  /** Whether the cached set may be used while it is fetched again: it is young enough, or its host is away. */
  #mayUse(): boolean {
    if (this.#keys === undefined) return false;
    const limit = this.#failure === undefined ? MAX_AGE_MS : this.options.staleIfErrorMs;
    return this.#ageOf(this.#keys) < limit;
  }

  #refusal(cause: unknown): unknown {
    return this.#keys !== undefined || isAway(cause) ? unavailable(cause) : cause;
  }

  #ageOf({ fetchedAt }: FetchedKeys): number {
    return this.options.clock() - fetchedAt;
  }

  /** The fetch in progress, or a new one; undefined during a pause. */
  #fetchUnlessPaused(): Promise<void> | undefined {
    if (this.#attempt !== undefined) return this.#attempt;
    const { count, at } = this.#failure ?? { count: 0, at: 0 };
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), MAX_PAUSE_MS);
    if (count > 0 && this.options.clock() - at < pauseMs) return undefined;
    this.#attempt = this.#fetch().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #fetch(): Promise<void> {
    const { fetch, clock, onFetched } = this.options;
    try {
      const body = await fetchKeys(this.jwksUri, fetch);
      const find = createLocalJWKSet(publicOnly(body));
      this.#keys = { find, version: digest(body), fetchedAt: clock() };
      this.#failure = undefined;
      onFetched();
    } catch (cause) {
      // Anyone who reads that key can sign as the partner, so earlier keys are no longer trusted either.
      if (cause instanceof PrivateKeyPublished) this.#keys = undefined;
      this.#failure = { cause, count: (this.#failure?.count ?? 0) + 1, at: clock() };
      throw cause;
    }
  }
}

function unavailable(cause: unknown): DomainError {
  const sentence = "The partner's key set cannot be fetched right now; try again shortly.";
  return new DomainError('STORE_UNAVAILABLE', sentence, { retryAfter: RETRY_AFTER_S }, { cause });
}

function isAway(cause: unknown): boolean {
  return cause instanceof HostAway || (cause instanceof GuardedFetchError && AWAY.has(cause.reason));
}

const AWAY: ReadonlySet<string> = new Set(['connect', 'timeout', 'broken']);

async function fetchKeys(jwksUri: string, fetch: GuardedFetch): Promise<Buffer> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const answer = await fetch(jwksUri, { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  if (answer.status >= 500) throw new HostAway(`the key set's host answered ${answer.status}`);
  if (answer.status !== 200) throw new Error(`the key set answered ${answer.status}`);
  if (!isJson(answer)) throw new Error(`the key set came as ${answer.contentType || 'nothing known'}`);
  return answer.body;
}

/** @throws PrivateKeyPublished. The caller refuses what is not a key set at all. */
function publicOnly(body: Buffer): JSONWebKeySet {
  const set = JSON.parse(body.toString('utf8')) as JSONWebKeySet;
  for (const key of Array.isArray(set.keys) ? set.keys : []) {
    const member = typeof key === 'object' && key !== null ? privateMemberOf(key) : undefined;
    if (member === undefined) continue;
    const kid = 'kid' in key ? ` of the key ${JSON.stringify(String(key.kid).slice(0, 100))}` : '';
    throw new PrivateKeyPublished(
      `The key set at jwksUri publishes the private member "${member}"${kid}; publish public keys only, and replace that key.`,
    );
  }
  return set;
}
