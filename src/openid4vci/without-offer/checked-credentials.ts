// Checks credentials that another issuer has signed, before they are passed on to a wallet (contract §35): signature, type, time, and keys.
import { z } from 'zod';
import { timeFault } from '../../common/token-times.js';
import { isOf, type IssuerTrust, type WalletIssuerKeys } from '../../certificates/issuer-keys.service.js';
import type { WalletKey } from '../../issuance/wallets/copies.service.js';
import { verifyingKey } from '../../keys/public-jwk.js';
import { disclosedOf, readCredential } from '../../keys/sd-jwt.js';

/** What the credentials must be. */
export interface Expected {
  trust: IssuerTrust;
  vct: string;
  keys: readonly WalletKey[];
  /** ms since 1970 UTC */
  now: number;
}

const registered = z.object({
  iss: z.string().optional(),
  vct: z.string(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  iat: z.number().optional(),
  cnf: z.object({ jwk: z.record(z.string(), z.unknown()) }),
});

/** Credentials that are what they must be. */
export interface Checked {
  /** In the order of the keys, one for each. */
  credentials: string[];
  /** When the last of them expires; null: never. */
  expiresAt: Date | null;
}

/** The first second after the year 9999, the last of dates here. */
const NEVER_S = 253_402_300_800;

/** Checks credentials; undefined if one is not what it must be. */
export async function checkedCredentials(
  texts: readonly string[],
  expected: Expected,
  issuerKeys: WalletIssuerKeys,
): Promise<Checked | undefined> {
  const { keys } = expected;
  if (texts.length !== keys.length) return undefined;
  const byKey = new Map<string, string>();
  let last = 0;
  for (const text of texts) {
    const bound = await boundOf(text, expected, issuerKeys);
    if (bound === undefined) return undefined;
    byKey.set(bound.thumbprint, text);
    last = Math.max(last, bound.exp);
  }
  const credentials = keys.flatMap(({ thumbprint }) => byKey.get(thumbprint) ?? []);
  if (credentials.length !== keys.length) return undefined;
  return { credentials, expiresAt: last < NEVER_S ? new Date(last * 1_000) : null };
}

/** Thumbprint of the key that a credential is bound to, and its expiry in seconds; undefined if the credential is not what it must be. */
async function boundOf(
  text: string,
  { trust, vct, now }: Expected,
  issuerKeys: WalletIssuerKeys,
): Promise<{ thumbprint: string; exp: number } | undefined> {
  const parts = readCredential(text);
  const facts = parts && registered.safeParse(parts.payload).data;
  const holder = facts && verifyingKey(facts.cnf.jwk);
  if (!parts || !facts || !holder || facts.vct !== vct || !isOf(trust, facts.iss)) return undefined;
  if (timeFault(facts, now)) return undefined;
  if (disclosedOf(parts.payload, parts.disclosures) === undefined) return undefined;
  if ((await issuerKeys.verified(parts.jwt, parts.header, trust)) === undefined) return undefined;
  return { thumbprint: holder.thumbprint, exp: facts.exp ?? NEVER_S };
}
