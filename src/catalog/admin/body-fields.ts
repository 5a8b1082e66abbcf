// Building blocks of the operator's bodies: bounded text, ids, DIDs, URLs, times.
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { dateTime, parseInput } from '../../base/input.js';
import { shownAs } from '../../base/record.js';
import { parsedUrl } from '../../common/parsed-url.js';
import type { Counts } from '../rows/models.js';

/** Control characters and halves of surrogate pairs: never in a name, never in an id. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;
/** Longer texts may also have line breaks and tabs. */
const UNPRINTABLE_IN_TEXT = /[\p{Cs}]|(?![\n\r\t])\p{Cc}/u;
/**
 * Letters, digits, marks, punctuation and symbols. No white space: it separates the parts of an edge's id
 * (`schemaIssuers`).
 */
export const ENTRY_ID = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;
/** W3C DID Core §3.1: method name, then at least one character of the method's own id. */
const DID = /^did:[a-z0-9]+:(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+$/;
const MAX_ID = 500;
const MAX_PEM = 8_192;

const bounded = (max: number) => z.string().max(max, `must be at most ${max} characters`);

/** A label or name: 1..max characters on one line. */
export const line = (max: number) =>
  bounded(max)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => !UNPRINTABLE.test(text), 'must not hold control characters');

/** A longer text, may be empty and have several lines. */
export const text = (max: number) =>
  bounded(max).refine((value) => !UNPRINTABLE_IN_TEXT.test(value), 'must not hold control characters');

/** An id of any kind: 1..500 printable characters without white space (a JSON Schema's `$id` is one, too). */
export const id = () => bounded(MAX_ID).regex(ENTRY_ID, 'must be 1 to 500 printable characters without white space');

// Created once, because imports check an id on each line.
const ID = z.object({ id: id() });

/** The id of an entry. @throws DomainError BAD_USER_INPUT. */
export const checkedId = (value: string): string =>
  value.length <= MAX_ID && ENTRY_ID.test(value) ? value : parseInput(ID, { id: value }).id;

/** A decentralized identifier. */
export const did = () => bounded(MAX_ID).regex(DID, 'must be a DID, such as did:web:issuer.example');

/** An https address, or http to loopback (only the sandbox allows that; put-issuer.ts checks it). */
export const endpoint = () =>
  bounded(2_000).refine(isEndpoint, 'must be an https URL without user name, password or fragment');

/** The certificate of an authority, PEM, in one spelling. */
export const anchor = () =>
  bounded(MAX_PEM).transform((pem, context) => {
    const certificate = certificateOf(pem);
    if (certificate?.ca) return certificate.toString();
    context.issues.push({ code: 'custom', input: pem, message: 'must be the certificate of an authority in PEM' });
    return z.NEVER;
  });

/** Whether the text is one X.509 certificate as PEM, and nothing else. */
export const isCertificate = (text: string): boolean => certificateOf(text) !== undefined;

/** The certificate, if the text is one and nothing else: of several, Node would read the first. */
function certificateOf(text: string): X509Certificate | undefined {
  if (!/^\s*-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----\s*$/.test(text)) return undefined;
  try {
    const certificate = new X509Certificate(text);
    return certificate.publicKey.type === 'public' ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** ISO 8601 with an offset. It stays a text: a checked body is still JSON, so it can be checked again. */
export const instant = () => shownAs('DateTime', dateTime('must be an ISO 8601 time, such as 2026-01-31T12:00:00Z'));

/** A whole number within bounds. */
export const whole = (min: number, max: number) => {
  const sentence = `must be a whole number from ${min} to ${max}`;
  return z.number().int(sentence).min(min, sentence).max(max, sentence);
};

/** Optional, and null means the same as leaving it out. */
export const orNull = <T extends z.ZodType>(type: T) => type.nullable().default(null);

const count = () => whole(0, 1_000_000_000).default(0);

/** Imported counts (contract §7, `traction`); missing ones are 0. */
export const importedTraction = (): z.ZodType<Counts> =>
  z.strictObject({ holderCount: count(), issuanceCount: count(), verificationCount: count() });

/** Whether a URL is http to this machine. */
function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function isEndpoint(value: string): boolean {
  const url = parsedUrl(value);
  if (!url) return false;
  const bare = url.username === '' && url.password === '' && url.hash === '';
  return bare && (url.protocol === 'https:' || isLoopback(url));
}
