// What repeats of offers need (contract §34): what is remembered under an idempotency key, what a repeat is compared with, and the secrets that
// each repeat replaces. Nothing here lets a subject be guessed from the store and KEYSTORE_KEY.
import { DomainError } from '../base/errors.js';
import type { CreatedOffer, CreateOffer } from './inputs.js';
import type { OfferRow } from './models.js';
import { codeOf, hashOf, newSecret, newSubjectKey, seal, stateOf, subjectHash, wrapSubjectKey } from './secrets.js';

/** Whoever guesses the key of an offer can check guesses of its subject, because repeats are compared with it. */
const SHORTEST_KEY = 20;

/** @throws DomainError BAD_USER_INPUT for a key that could be guessed. */
export function requireRandom(key: string | undefined): void {
  if (key === undefined || key.length >= SHORTEST_KEY) return;
  const sentence = `"idempotency-key" must be random, of at least ${SHORTEST_KEY} characters, such as a UUID.`;
  throw new DomainError('BAD_USER_INPUT', sentence, { field: 'idempotency-key' });
}

/** What is stored as the response. The holder's id is in it, so that an erasure finds and deletes it. */
export type Remembered = Pick<CreatedOffer, 'offerId' | 'userUuid' | 'coreClaimHash'>;

/** What of a response is stored. */
export const rememberedOf = ({ offerId, userUuid, coreClaimHash }: CreatedOffer): Remembered => ({
  ...{ offerId, userUuid, coreClaimHash },
});

/** The body that repeats are compared with. Its stored hash is keyed by KEYSTORE_KEY, so the subject is hashed under the idempotency key before. */
export function comparable({ credentialSubject, ...body }: CreateOffer, key = ''): object {
  return { ...body, subject: subjectHash(key, credentialSubject) };
}

/** The members of an offer that follow from its token. */
type OfferSecret = 'tokenHash' | 'codeHash' | 'stateHash' | 'codeKey' | 'stateKey' | 'sealedSubject';

/** A new token for an offer, and the members of its row that follow from it. */
export function newToken(offerId: string, subject: object): { token: string; sealed: Pick<OfferRow, OfferSecret> } {
  const [token, key] = [newSecret(), newSubjectKey()];
  const [code, state] = [codeOf(token), stateOf(token)];
  const hashes = { tokenHash: hashOf(token), codeHash: hashOf(code), stateHash: hashOf(state) };
  const keys = { codeKey: wrapSubjectKey(code, key, offerId), stateKey: wrapSubjectKey(state, key, offerId) };
  return { token, sealed: { ...hashes, ...keys, sealedSubject: seal(key, JSON.stringify(subject), offerId) } };
}
