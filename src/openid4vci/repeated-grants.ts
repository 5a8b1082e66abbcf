// Repeats of token requests: a wallet whose response was lost exchanges its code, or its refresh token, again (docs/decisions/0077). Only the wallet
// that spent it can: it has the same key, or knows the transaction code or the verifier.
import type { Openid4vciModels, WalletTokenRow } from './models.js';
import type { WalletKeys } from './new-tokens.js';

/** For how long what was exchanged can be exchanged again, milliseconds. */
export const REPEAT_MS = 60_000;

export interface Repeat {
  /** SHA-256 of what is exchanged again, hex. */
  grantHash: string;
  by: WalletKeys;
  /** Whether the request also shows a secret that an onlooker lacks: the offer's transaction code, or the verifier of its code (RFC 7636). */
  hasSecret?: boolean;
  now: number;
}

/** The tokens that a repeat replaces; undefined: the grant cannot be repeated, or not by this wallet. */
export async function replacedTokens(
  { walletTokens }: Pick<Openid4vciModels, 'walletTokens'>,
  { grantHash, by, hasSecret = false, now }: Repeat,
): Promise<WalletTokenRow[] | undefined> {
  const tokens = await walletTokens.find({ grantHash }).lean<WalletTokenRow[]>();
  const access = tokens.find(({ kind }) => kind === 'access');
  if (access === undefined || (access.repeatableUntil?.getTime() ?? 0) <= now) return undefined;
  const isSame = access.jkt === by.jkt && access.instanceJkt === by.instance?.jkt && access.clientId === by.clientId;
  const isProved = by.jkt !== undefined || by.instance !== undefined || hasSecret;
  // A wallet that has used its new refresh token has got the response.
  return isSame && isProved && !tokens.some(({ spent }) => spent) ? tokens : undefined;
}
