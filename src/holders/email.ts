// E-mail addresses: all spellings of an address belong to one holder (contract §4.1). Compare addresses with
// `sameEmail`, not `===`; use `canonicalEmail` as a key, and find rows by `emailHashes`.
import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import { REPLACEMENT } from '../base/json/unicode.js';
import { isInternational, spelledAddress } from '../common/email-address.js';
import type { SealedBox } from '../keys/sealed-box.js';

const MAX_EMAIL = 254;
/** One @, a domain with a dot, and no character that separates addresses in a mail header. */
const EMAIL = /^[^\s@,;:<>()[\]\\"\p{C}]{1,64}@[^\s@,;:<>()[\]\\"\p{C}]+\.[^\s@,;:<>()[\]\\".\p{C}]+$/u;
const CONTROL = /\p{C}/u;

/**
 * Returns the two spellings of a domain, as Unicode and as ASCII (UTS 46). An invalid domain is returned unchanged, and so is one of which no
 * Unicode is the spelling: `xn--example-.org` would read `example.org`, which is another domain.
 */
function spellingsOf(domain: string): { unicode: string; ascii: string } {
  const ascii = isInternational(domain) ? domainToASCII(domain) : '';
  const unicode = ascii === '' ? domain : domainToUnicode(ascii);
  return ascii !== '' && domainToASCII(unicode) === ascii ? { unicode, ascii } : { unicode: domain, ascii: domain };
}

/** The parts of an address; without @, everything is the local part. */
function partsOf(written: string): { local: string; unicode: string; ascii: string } {
  const text = spelledAddress(written).normalize('NFC');
  const at = text.lastIndexOf('@') + 1;
  return { local: text.slice(0, at), ...spellingsOf(text.slice(at)) };
}

/** The canonical form of an address: trimmed, lower case, NFC, the domain in Unicode. Accepts any text; idempotent. */
export function canonicalEmail(written: string): string {
  const { local, unicode } = partsOf(written);
  return local + unicode;
}

/** Whether two texts are spellings of one address. */
export const sameEmail = (a: string, b: string): boolean => canonicalEmail(a) === canonicalEmail(b);

/** An e-mail address in an input, in the caller's spelling and lower case. */
export const emailText = z
  .string()
  .transform(spelledAddress)
  .refine((text) => {
    const canonical = canonicalEmail(text);
    return canonical.length <= MAX_EMAIL && EMAIL.test(canonical) && !CONTROL.test(text) && !text.includes(REPLACEMENT);
  }, 'must be an e-mail address');

/** The keyed hash of an address, for new rows. */
export const emailHash = (box: SealedBox, email: string): string =>
  box.blindIndex('holder-email', canonicalEmail(email));

/**
 * The keyed hashes by which the rows of an address are found; the hash of the given spelling is first. @param email as
 * `emailText` returns it. Earlier versions stored rows under the spelling of the request, so two spellings may belong
 * to two holders.
 */
export function emailHashes(box: SealedBox, email: string): string[] {
  const { local, unicode, ascii } = partsOf(email);
  const spellings = new Set([email, local + unicode, local + ascii]);
  return [...spellings].flatMap((each) => box.blindIndexes('holder-email', each));
}

/** A partner's own id of a holder: any text of 1 to 255 characters. */
export const partnerUserIdText = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters')
  .refine((text) => text.isWellFormed(), 'must be Unicode');
