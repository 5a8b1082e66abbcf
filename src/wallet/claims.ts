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

/** Whether two texts are spellings of one address, apart from its domain's: the gateway knows all of them (holders/email.ts). */
export const isSameAddress = (a: string, b: string): boolean => spelled(a) === spelled(b);

const spelled = (text: string): string => text.normalize('NFC').trim().toLowerCase();
