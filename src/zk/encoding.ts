// A credential's messages (contract §12): a header, then one for each data point of its schema version, in order.
import canonicalize from 'canonicalize';
import { type Family, orderedBits, pointOf, valueAt } from '../conditions/index.js';

/** The suite that signs messages. */
export const SIGNATURE_SUITE = 'core-bbs-1';
/** Most data points of a provable credential. */
export const MAX_POINTS = 64;

/** A data point for the encoding. */
export interface EncodedPoint {
  name: string;
  family: Family;
}

/** A message before it becomes a field element: a whole number below 2^64, or a tagged text that is hashed to the field. */
export type Message = { integer: bigint } | { tag: 'header' | 'text' | 'json' | 'absent'; text: string };

/** The message of an absent field. */
export const ABSENT: Message = { tag: 'absent', text: '' };

/** The content of message 0, which binds the other messages to a claim. */
export interface HeaderFacts {
  coreClaimHash: string;
  schemaId: string;
  schemaVersion: number;
}

/** Message 0. */
export function headerMessage({ coreClaimHash, schemaId, schemaVersion }: HeaderFacts): Message {
  return { tag: 'header', text: canonical({ suite: SIGNATURE_SUITE, coreClaimHash, schemaId, schemaVersion }) };
}

/** The message of a value; undefined: absent. A value outside the family is encoded as `json`, like all values of the family `json`. */
export function messageOf(family: Family, value: unknown): Message {
  if (value === undefined) return ABSENT;
  const point = family === 'json' ? undefined : pointOf(family, value);
  if (point === undefined) return { tag: 'json', text: canonical(value) };
  if (typeof point === 'string') return { tag: 'text', text: wellFormed(point) };
  return { integer: typeof point === 'number' ? orderedBits(point) : BigInt(point) };
}

/**
 * All messages of a credential, in their order.
 * @throws RangeError for more points than a signature covers; TypeError for a value that has no canonical form
 */
export function messagesOf(facts: HeaderFacts, points: readonly EncodedPoint[], subject: unknown): Message[] {
  if (points.length > MAX_POINTS) throw new RangeError(`a provable credential has at most ${MAX_POINTS} data points`);
  return [headerMessage(facts), ...points.map(({ name, family }) => messageOf(family, valueAt(subject, name)))];
}

/** The bytes of a tagged message that are hashed. */
export function taggedBytes({ tag, text }: Exclude<Message, { integer: bigint }>): Uint8Array {
  return new TextEncoder().encode(`${tag}\0${text}`);
}

/** Whether two messages are equal. */
export function isSameMessage(a: Message, b: Message): boolean {
  if ('integer' in a || 'integer' in b) return 'integer' in a && 'integer' in b && a.integer === b.integer;
  return a.tag === b.tag && a.text === b.text;
}

/** Canonical JSON (RFC 8785). @throws TypeError for a value that JSON cannot express: NaN, half a surrogate pair. */
export function canonical(value: unknown): string {
  try {
    return canonicalize(value) ?? '';
  } catch (cause) {
    throw new TypeError('a value has no canonical JSON', { cause });
  }
}

function wellFormed(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError('a text is not well-formed Unicode');
  return text;
}
