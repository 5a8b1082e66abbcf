// A partner's token for the command line: read from a file, or signed anew with the partner's own private key (contract §3).
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { badInput, DomainError } from '../errors.js';

export interface TokenOptions {
  tokenFile?: string;
  keyFile?: string;
  partnerId?: string;
  kid?: string;
}

/** Answers a token that is good for the next request. @throws DomainError, one sentence, when there is nothing to make one of. */
export type TokenSource = () => Promise<string>;

/** The source of tokens that the options name. @throws DomainError BAD_USER_INPUT. */
export function tokenSource({ tokenFile, keyFile, partnerId, kid }: TokenOptions): TokenSource {
  // Read each time: whoever renews the file renews the run.
  if (tokenFile !== undefined) return async () => textOf(tokenFile).trim();
  if (keyFile === undefined) throw badInput('Give --token-file, or --key-file with --partner-id and --kid.');
  const { key, kid: ownKid } = privateKeyOf(textOf(keyFile), keyFile);
  const keyId = kid ?? ownKid;
  if (partnerId === undefined || keyId === undefined) throw badInput('--key-file needs --partner-id and --kid.');
  const alg = algorithmOf(key, keyFile);
  return () =>
    new SignJWT({ partnerId, scope: 'issue' })
      .setProtectedHeader({ alg, typ: 'JWT', kid: keyId })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);
}

const MIN_RSA_BITS = 2_048;

/** The algorithm of contract §3 that this key signs with. @throws DomainError BAD_USER_INPUT when it is neither's. */
function algorithmOf(key: KeyObject, file: string): 'ES256' | 'RS256' {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = key;
  if (type === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  if (type === 'rsa' && modulusLength >= MIN_RSA_BITS) return 'RS256';
  throw badInput(`${file} must hold a key of P-256 or RSA (${MIN_RSA_BITS} bits or more): tokens are ES256 or RS256.`);
}

/** A private key in JWK or PEM. */
function privateKeyOf(text: string, file: string): { key: KeyObject; kid?: string } {
  try {
    if (!text.trimStart().startsWith('{')) return { key: createPrivateKey(text) };
    const jwk = JSON.parse(text) as JsonWebKey & { kid?: string };
    return { key: createPrivateKey({ key: jwk, format: 'jwk' }), kid: jwk.kid };
  } catch {
    throw badInput(`${file} holds no private key in JWK or PEM.`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be read.`, {}, { cause });
  }
}
