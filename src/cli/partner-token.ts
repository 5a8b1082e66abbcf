// A partner's token for the command line: read from a file, or signed with the partner's own private key (contract §3).
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { SignJWT } from 'jose';
import { badInput } from '../base/errors.js';
import { withoutBom } from '../base/json/unicode.js';
import { readBytes } from './file-fault.js';

export interface TokenOptions {
  tokenFile?: string;
  keyFile?: string;
  partnerId?: string;
  kid?: string;
}

/** Returns a token that is valid for the next request. @throws DomainError, one sentence, if there is none. */
export type TokenSource = () => Promise<string>;

/** The default key file of `partner create`. */
export const PARTNER_FILE = 'partner.json';
const LIFETIME_S = 300;

/** The source of tokens by these options. @throws DomainError BAD_USER_INPUT. */
export function tokenSource(options: TokenOptions, scope = 'issue'): TokenSource {
  const { tokenFile } = options;
  // Read for each token, so that a renewed file takes effect.
  if (tokenFile !== undefined) return async () => textOf(tokenFile).trim();
  const { sign } = tokenSigner(options);
  return async () => (await sign({ scope })).token;
}

/** Signs with the partner's own key. @throws DomainError BAD_USER_INPUT if the key, the partner or the kid is missing. */
export function tokenSigner({ keyFile, partnerId, kid }: TokenOptions) {
  const file = keyFile ?? (existsSync(PARTNER_FILE) ? PARTNER_FILE : undefined);
  if (file === undefined)
    throw badInput(
      `There is no ${PARTNER_FILE} here: give --key-file (the file of partner create, or a private key with --partner-id and --kid), or --token-file where the command has it.`,
    );
  const own = readPartnerKey(file);
  const [partner, keyId] = [partnerId ?? own.partnerId, kid ?? own.kid];
  if (partner === undefined || keyId === undefined) throw badInput('--key-file needs --partner-id and --kid.');
  return {
    /** Signs a token that is valid for five minutes. */
    sign: async (claims: object) => {
      const expiresAt = Math.floor(Date.now() / 1_000) + LIFETIME_S;
      const token = await new SignJWT({ partnerId: partner, ...claims })
        .setProtectedHeader({ alg: own.alg, typ: 'JWT', kid: keyId })
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(own.key);
      return { token, expiresAt: new Date(expiresAt * 1_000).toISOString() };
    },
  };
}

/** A private key for partner tokens, and the partner and kid in its file. */
export interface PartnerKey {
  key: KeyObject;
  alg: 'ES256' | 'RS256';
  kid?: string;
  partnerId?: string;
}

/** Reads a private key in JWK or PEM. @throws DomainError BAD_USER_INPUT. */
export function readPartnerKey(file: string): PartnerKey {
  const { key, kid, partnerId } = privateKeyOf(textOf(file), file);
  return { key, kid, partnerId, alg: algorithmOf(key, file) };
}

const MIN_RSA_BITS = 2_048;

/** The algorithm of contract §3 for this key. @throws DomainError BAD_USER_INPUT for other types of keys. */
function algorithmOf(key: KeyObject, file: string): 'ES256' | 'RS256' {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = key;
  if (type === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  if (type === 'rsa' && modulusLength >= MIN_RSA_BITS) return 'RS256';
  throw badInput(
    `${file} must contain a key of P-256 or RSA (${MIN_RSA_BITS} bits or more): tokens are ES256 or RS256.`,
  );
}

/** A private key in JWK or PEM. */
function privateKeyOf(text: string, file: string): Omit<PartnerKey, 'alg'> {
  try {
    if (!text.trimStart().startsWith('{')) return { key: createPrivateKey(text) };
    const { kid, partnerId, ...jwk } = JSON.parse(text) as JsonWebKey & { kid?: string; partnerId?: string };
    return { key: createPrivateKey({ key: jwk, format: 'jwk' }), kid, partnerId };
  } catch {
    throw badInput(`${file} contains no private key in JWK or PEM.`);
  }
}

const textOf = (file: string): string => withoutBom(readBytes(file).toString());
