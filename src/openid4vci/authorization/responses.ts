// Authorization responses (RFC 6749 §4.1.2, RFC 9207): addresses to which a browser goes at the end.
import { errorDescription } from '../../http/protocols/protocol-error.js';
import type { WalletClient } from './request-parameters.js';

/** The address that brings a wallet its code. */
export const codeAddress = (client: WalletClient, code: string, iss: string): string =>
  redirectTo(client, { code, iss });

/** The address that tells a wallet of a refusal. */
export const refusalAddress = (
  client: WalletClient,
  { code, message }: { code: string; message: string },
  iss: string,
): string => redirectTo(client, { error: code, error_description: errorDescription(message), iss });

function redirectTo({ redirectUri, state }: WalletClient, members: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(members)) url.searchParams.append(name, value);
  if (state !== undefined) url.searchParams.append('state', state);
  return url.href;
}
