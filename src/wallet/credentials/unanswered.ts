// Issuances that have begun and whose outcome the page has not received: another call of the same goes on with them, so that nothing is issued twice.
import { forgetApproval } from '../approvals.js';
import { Refusal } from '../gateway.js';
import { OF_HOLDER } from '../store.js';
import { jsonHash } from './json.js';
import type { CredentialParts } from './parts.js';

/** An issuance that has begun. */
export interface Begun {
  /** The idempotency key of its request. */
  key: string;
  /** Ids of the credentials that were stored before it. */
  before: string[];
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Issuance {
  /** The request, without its key. */
  body: object;
  /** How long another call goes on with it, milliseconds. */
  lastingMs: number;
  /** Ids of the credentials that are stored now. */
  stored?: () => Promise<string[]>;
}

/** How many are kept. */
const MOST = 20;
/** A refusal with one of these statuses was given to the key: nothing was issued, and the same key would get it again. */
const FINAL: readonly number[] = [400, 404, 409, 410, 413, 422];

/** Runs an issuance, or goes on with the one of an earlier call. @returns its idempotency key, the id of its approval. @throws what `run` throws. */
export async function issueOnce(
  { session, store }: CredentialParts,
  { body, lastingMs, stored = async () => [] }: Issuance,
  run: (begun: Begun) => Promise<unknown>,
): Promise<string> {
  // The text counts, because the gateway compares the bodies of one key by it.
  const name = await jsonHash(JSON.stringify([session.requireLogin().id, body]));
  const all = (): Record<string, Begun> => store.get<Record<string, Begun>>(OF_HOLDER.issuing) ?? {};
  const earlier = all()[name];
  const isEarlier = earlier !== undefined && Date.now() - earlier.at < lastingMs;
  const begun = isEarlier ? earlier : { key: crypto.randomUUID(), before: await stored(), at: Date.now() };
  store.set(OF_HOLDER.issuing, Object.fromEntries([...Object.entries({ ...all(), [name]: begun })].slice(-MOST)));
  try {
    await run(begun);
    return begun.key;
  } catch (error) {
    if (error instanceof Refusal && FINAL.includes(error.status) && !error.mayPass) forgetApproval(store, begun.key);
    throw error;
  }
}
