// Settings of wallets of others (OpenID4VC).
import { z } from 'zod';
import { integer } from './config-values.js';

/** Settings of wallets of others. */
export interface WalletsConfig {
  /** Schemes of wallets' addresses without a dot, beside https, loopback http and private-use schemes with a dot. */
  readonly schemes: readonly string[];
  /** Wrong codes of one address in a minute, after which it is refused. */
  readonly offerTries: number;
}

const SCHEME = /^[a-z][a-z\d+.-]*$/;
/** Schemes that browsers and systems handle themselves: no wallet is called by them. Those of Windows' own programs begin with `ms-`. */
const NOT_OF_WALLETS =
  /^(?:https?|wss?|ftp|file|data|blob|javascript|vbscript|about|filesystem|content|view-source|jar|mailto|tel|sms|intent|chrome.*|moz-extension|urn|android-app|itms-.*|search(?:-ms)?|shell|ssh|telnet|ldap|smb|vscode|ms-.*)$/;

const schemes = z.string().transform((text, issue) => {
  const list = text
    .split(',')
    .map((scheme) => scheme.trim())
    .filter(Boolean);
  const bad = list.find((scheme) => !SCHEME.test(scheme) || NOT_OF_WALLETS.test(scheme));
  if (bad === undefined) return list;
  issue.addIssue({
    code: 'custom',
    message: `must be schemes of wallets separated by commas, such as eudi-openid4ci; ${JSON.stringify(bad)} is not one`,
  });
  return z.NEVER;
});

/** The variables, for config.ts. */
export const WALLET_VARIABLES = {
  OPENID4VC: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  WALLET_SCHEMES: schemes.default([]),
  OFFER_TRIES_PER_MINUTE: integer(1, 1_000_000, 'wrong codes of one address in a minute').default(60),
};

/** The settings that are configured. */
export const walletsOf = (env: z.output<z.ZodObject<typeof WALLET_VARIABLES>>): WalletsConfig => ({
  schemes: env.WALLET_SCHEMES,
  offerTries: env.OFFER_TRIES_PER_MINUTE,
});
