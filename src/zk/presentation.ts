// A presentation (contract §14): base64url of canonical JSON (RFC 8785). Every other spelling is refused.
import { fromBase64url, toBase64url } from './bytes.js';
import { canonical } from './encoding.js';
import type { FieldSides } from './plan.js';

export const PRESENTATION_SUITE = 'core-zk-1';

/** The verifier's challenge; the presentation repeats its members. */
export interface Challenge {
  verificationId: string;
  /** 32 bytes, base64url. */
  nonce: string;
  /** ISO 8601 UTC: the time at which conditions are evaluated. */
  now: string;
  partnerId: string;
  programId: string;
  programVersion: string;
}

export interface Presentation extends Challenge {
  v: 1;
  suite: typeof PRESENTATION_SUITE;
  credentialId: string;
  schemaId: string;
  schemaVersion: number;
  kid: string;
  sides: FieldSides[];
  /** A commitment to the header, 48 bytes, base64url. */
  commitment: string;
  /** base64url. */
  proof: string;
}

/** The text is not a presentation. The message says why, without repeating any of it. */
export class PresentationError extends Error {
  override readonly name = 'PresentationError';
}

export const NONCE_BYTES = 32;
export const COMMITMENT_BYTES = 48;
/** Longest text of a presentation, in characters. */
export const MAX_PRESENTATION = 64 * 1024;

/** Half a surrogate pair has no UTF-8. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && !/\p{Surrogate}/u.test(value);
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
const isSides = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && isText(value[0]) && value.slice(1).every((side) => SIDES.has(side));
const SIDES: ReadonlySet<unknown> = new Set(['below', 'above']);

const MEMBERS: Readonly<Record<keyof Presentation, (value: unknown) => boolean>> = {
  v: (value) => value === 1,
  suite: (value) => value === PRESENTATION_SUITE,
  verificationId: isText,
  nonce: (value) => fromBase64url(value, NONCE_BYTES) !== undefined,
  now: isInstant,
  partnerId: isText,
  programId: isText,
  programVersion: isText,
  credentialId: isText,
  schemaId: isText,
  schemaVersion: Number.isSafeInteger,
  kid: isText,
  sides: (value) => Array.isArray(value) && value.every(isSides),
  commitment: (value) => fromBase64url(value, COMMITMENT_BYTES) !== undefined,
  proof: (value) => (fromBase64url(value)?.length ?? 0) > 0,
};

/** The text of a presentation. */
export function encodePresentation(presentation: Presentation): string {
  return toBase64url(new TextEncoder().encode(canonical(presentation)));
}

/** Parses a presentation. @throws PresentationError for any text other than its canonical one. */
export function decodePresentation(text: string): Presentation {
  if (text.length > MAX_PRESENTATION)
    throw new PresentationError(`a presentation has at most ${MAX_PRESENTATION} characters`);
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null) throw new PresentationError('a presentation is an object');
  const names = Object.keys(value);
  const wrong = Object.entries(MEMBERS).find(
    ([name, isRight]) => !Object.hasOwn(value, name) || !isRight((value as Record<string, unknown>)[name]),
  );
  if (wrong) throw new PresentationError(`"${wrong[0]}" of the presentation is not valid`);
  if (names.length !== Object.keys(MEMBERS).length) throw new PresentationError('the presentation has unknown members');
  const presentation = value as Presentation;
  if (encodePresentation(presentation) !== text)
    throw new PresentationError('the presentation is not in canonical spelling');
  return presentation;
}

function jsonOf(text: string): unknown {
  const bytes = fromBase64url(text);
  if (bytes === undefined) throw new PresentationError('a presentation is base64url without padding');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new PresentationError('a presentation is JSON in UTF-8');
  }
}

/** The bytes that a proof is bound to: the presentation without the proof, and without the nonce, which is bound separately. */
export function contextOf({ nonce: _nonce, proof: _proof, ...rest }: Presentation): Uint8Array {
  return new TextEncoder().encode(canonical(rest));
}

/** The bytes of a presentation's nonce. */
export function nonceOf({ nonce }: Pick<Presentation, 'nonce'>): Uint8Array {
  return fromBase64url(nonce, NONCE_BYTES) ?? new Uint8Array();
}
