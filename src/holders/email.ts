// E-mail addresses in canonical form, so that one person is one holder (contract §4.1: trimmed, lower case).
import { z } from 'zod';
import { REPLACEMENT } from '../base/unicode.js';

const MAX_EMAIL = 254;
/** One @, a domain with a dot, and nothing that a mail header or an address list could read as several addresses. */
const EMAIL = /^[^\s@,;:<>()[\]\\"\p{C}]{1,64}@[^\s@,;:<>()[\]\\"\p{C}]+\.[^\s@,;:<>()[\]\\".\p{C}]+$/u;

/** An e-mail address of a caller, in canonical form. */
export const emailText = z
  .string()
  .transform((text) => text.normalize('NFC').trim().toLowerCase())
  .refine(
    (text) => text.length <= MAX_EMAIL && EMAIL.test(text) && !text.includes(REPLACEMENT),
    'must be an e-mail address',
  );

/** A partner's own id of a holder: any text of 1 to 255 characters. */
export const partnerUserIdText = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters')
  .refine((text) => text.isWellFormed(), 'must be Unicode');
