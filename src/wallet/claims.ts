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
