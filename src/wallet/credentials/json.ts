// Comparison and hashes of JSON values.
import canonicalize from 'canonicalize';

const canonical = (value: unknown): string => canonicalize(value) ?? '';

/** Whether two values are equal, regardless of the order of their members. */
export const isSameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/** SHA-256 of a value's canonical text (RFC 8785), in hex. */
export async function jsonHash(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
