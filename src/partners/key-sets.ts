// Partners' key sets. Only the partner's record decides which one is used, never the token.
import { type CompactVerifyGetKey, createLocalJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ProblemReport } from '../base/monitoring/problems.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import type { PartnerRow } from './models.js';
import { PublishedKeySet } from './published-key-set.js';

/** One partner's keys, for one version of its record. */
export interface KeySet {
  /**
   * The fault of a published set, a sentence for the operator; null: it has none, undefined: no set was fetched yet.
   */
  readonly problem: string | null | undefined;
  /** Finds the key that a token's header names. @throws when there is none or more than one. */
  getKey: CompactVerifyGetKey;
  /**
   * Changes whenever the set's content does. A published set that is too old is fetched again first. @throws when that
   * fails.
   */
  version(): Promise<string>;
}

export interface KeySetOptions {
  fetch: GuardedFetch;
  /** How old the last valid published set may be while its host is unavailable, milliseconds; default an hour. */
  staleIfErrorMs?: number;
  /** Receives a report when a partner's last valid set is used although it is too old. */
  problems?: ProblemReport;
  /** Monotonic, milliseconds. */
  clock?(): number;
}

const MAX_SETS = 1_000;
const STALE_IF_ERROR_MS = 3_600_000;

/** Key sets by partner, bounded. */
export class PartnerKeySets {
  readonly #sets = new LRUCache<string, { version: number; set: KeySet }>({ max: MAX_SETS });

  constructor(private readonly options: KeySetOptions) {}

  /** The key set of a record. Each version of the record has a key set of its own. */
  of(partner: PartnerRow): KeySet {
    const cached = this.#sets.get(partner._id);
    if (cached?.version === partner.version) return cached.set;
    const set = partner.jwksUri === null ? inline(partner) : this.#published(partner._id, partner.jwksUri);
    this.#sets.set(partner._id, { version: partner.version, set });
    return set;
  }

  #published(partnerId: string, jwksUri: string): KeySet {
    const { fetch, staleIfErrorMs = STALE_IF_ERROR_MS, problems, clock = () => performance.now() } = this.options;
    return new PublishedKeySet(jwksUri, {
      fetch,
      clock,
      staleIfErrorMs,
      onStale: (cause) => problems?.raise('key-set-stale', { of: partnerId, cause }),
      onFetched: () => problems?.clear('key-set-stale', partnerId),
    });
  }
}

function inline({ jwks }: PartnerRow): KeySet {
  return {
    problem: null,
    getKey: createLocalJWKSet({ keys: (jwks ?? []).map((key) => ({ ...key })) }),
    version: async () => 'inline',
  };
}
