// Spellings of one e-mail address: case, composed letters, and a domain in Unicode or ASCII (UTS 46). Compare addresses by `sameAddress`, not `===`.
import { parsedUrl } from './parsed-url.js';

/** A domain that may have another spelling: it is not ASCII, or has an A-label (RFC 5890). */
const INTERNATIONAL = /[^\0-\x7f]|(^|\.)xn--/;
/** Forbidden in host names (URL standard); parsers of URLs end the name there. */
const NOT_IN_HOSTS = /[\0-\x20"#%/:<>?@[\\\]^`{|}]/;

/** An address as it is written, without what no reader distinguishes: surrounding space, case, and how letters are composed. */
export const spelledAddress = (written: string): string => written.normalize('NFC').trim().toLowerCase();

/** Whether a domain may have another spelling. */
export const isInternational = (domain: string): boolean => INTERNATIONAL.test(domain) && !NOT_IN_HOSTS.test(domain);

/** One form of all spellings of an address: its domain in ASCII. Accepts any text; an invalid domain stays as it is. */
export function oneSpelling(written: string): string {
  const text = spelledAddress(written).normalize('NFC');
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  const url = isInternational(domain) ? parsedUrl(`https://${domain}`) : undefined;
  return url ? text.slice(0, at) + url.hostname : text;
}

/** Whether two texts are spellings of one address. */
export const sameAddress = (a: string, b: string): boolean => oneSpelling(a) === oneSpelling(b);
