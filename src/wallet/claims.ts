// Reads the claims of a token without verifying it: the gateway verifies it, and these claims only determine what is
// shown.

/** The claims; none for a text that is not a token. */
export function claimsOf(token: string | undefined): Record<string, unknown> {
  try {
    const part = (token ?? '').split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}

/** The e-mail address in a partner token, or undefined. */
export function emailOf(token: string | undefined): string | undefined {
  const { email } = claimsOf(token);
  return typeof email === 'string' && email !== '' ? email : undefined;
}

/** Whether two texts are spellings of one address, as the gateway compares them (holders/email.ts): domains by their ASCII form. */
export function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [spelled(a), spelled(b)];
  return one === other || canonical(one) === canonical(other);
}

const spelled = (text: string): string => text.normalize('NFC').trim().toLowerCase().normalize('NFC');

/** A domain that may have another spelling. */
const INTERNATIONAL = /[^\0-\x7f]|(^|\.)xn--/;
/** Characters at which parsers of URLs end a host name. */
const NOT_IN_HOSTS = /[\0-\x20"#%/:<>?@[\\\]^`{|}]/;

function canonical(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  const url = `https://${domain}`;
  if (!INTERNATIONAL.test(domain) || NOT_IN_HOSTS.test(domain) || !URL.canParse(url)) return address;
  return address.slice(0, at) + new URL(url).hostname;
}
