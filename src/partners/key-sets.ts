// Partners' key sets: which one is used follows from the partner's record alone, never from what a token says.
import { type CompactVerifyGetKey, createLocalJWKSet, createRemoteJWKSet, customFetch } from 'jose';
import { LRUCache } from 'lru-cache';
import { privateMemberOf } from '../keys/public-jwk.js';
import { digest } from '../keys/sealed-box.js';
import { type GuardedFetch, isJson } from './guarded-fetch.js';
import type { PartnerRow } from './models.js';

/** One partner's keys, for one version of its record. */
export interface KeySet {
  /** Finds the key a token's header names. @throws when there is none or more than one. */
  getKey: CompactVerifyGetKey;
  /** Changes with the set's content; a published set that is too old is fetched again first. @throws when it cannot be. */
  version(): Promise<string>;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** A key that was taken out of a published set is refused after this at the latest. */
const MAX_AGE_MS = 60_000;
/** At most one fetch a second because of unknown `kid`s: anyone can send those. */
const COOLDOWN_MS = 1_000;
/** After a failed fetch the next one waits: a dead address must not be hammered in a partner's name. */
const FAILURE_PAUSE_MS = 2_000;
const MAX_SETS = 1_000;

/** Key sets by partner, bounded. */
export class PartnerKeySets {
  readonly #sets = new LRUCache<string, { version: number; set: KeySet }>({ max: MAX_SETS });

  constructor(
    private readonly fetch: GuardedFetch,
    private readonly clock: () => number = Date.now,
  ) {}

  /** The key set of a record; another version of the record starts anew. */
  of(partner: PartnerRow): KeySet {
    const known = this.#sets.get(partner._id);
    if (known?.version === partner.version) return known.set;
    const set = partner.jwksUri === null ? inline(partner) : published(partner.jwksUri, this.fetch, this.clock);
    this.#sets.set(partner._id, { version: partner.version, set });
    return set;
  }
}

function inline({ jwks }: PartnerRow): KeySet {
  return {
    getKey: createLocalJWKSet({ keys: (jwks ?? []).map((key) => ({ ...key })) }),
    version: async () => 'inline',
  };
}

function published(jwksUri: string, fetch: GuardedFetch, clock: () => number): KeySet {
  let content = '';
  let failedAt = Number.NEGATIVE_INFINITY;
  const get = async (): Promise<Response> => {
    if (clock() - failedAt < FAILURE_PAUSE_MS) throw new Error('the key set could not be fetched a moment ago');
    try {
      const body = await fetchKeys(jwksUri, fetch);
      refusePrivate(body);
      content = digest(body);
      return new Response(new Uint8Array(body));
    } catch (error) {
      failedAt = clock();
      throw error;
    }
  };
  const set = createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: MAX_AGE_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: get,
  });
  return {
    getKey: set,
    async version() {
      if (!set.fresh) await set.reload();
      return content;
    },
  };
}

async function fetchKeys(jwksUri: string, fetch: GuardedFetch): Promise<Buffer> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const answer = await fetch(jwksUri, { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  if (answer.status !== 200) throw new Error(`the key set answered ${answer.status}`);
  if (!isJson(answer)) throw new Error(`the key set came as ${answer.contentType || 'nothing known'}`);
  return answer.body;
}

/** A published key set holds a private key: whoever reads it can sign tokens of the partner. */
export class PrivateKeyPublished extends Error {
  override readonly name = 'PrivateKeyPublished';
}

/** @throws PrivateKeyPublished. What is not a key set at all is refused by its reader. */
function refusePrivate(body: Buffer): void {
  const { keys } = JSON.parse(body.toString('utf8')) as { keys?: unknown };
  for (const key of Array.isArray(keys) ? keys : []) {
    const member = typeof key === 'object' && key !== null ? privateMemberOf(key) : undefined;
    if (member === undefined) continue;
    const kid = 'kid' in key ? ` of the key ${JSON.stringify(String(key.kid).slice(0, 100))}` : '';
    throw new PrivateKeyPublished(
      `The key set at jwksUri publishes the private member "${member}"${kid}; publish public keys only, and replace that key.`,
    );
  }
}
