// The body of a partner (contract §7, kind "partners"), checked so that every stored record works.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import { isOrigin } from '../base/config/origins.js';
import { privateMemberOf } from '../keys/public-jwk.js';
import { gasPolicyBody } from './gas-policy.service.js';
import type { PartnerJwk } from './models.js';

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;
/** W3C DID Core §3.1. */
const DID = /^did:[a-z0-9]+:(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+$/;
const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 8_192;
const MAX_KEYS = 50;
const MAX_LIST = 1_000;

/** A partner's id: a UUID, in lower case. */
export const partnerUuid = z.guid('must be a UUID').transform((id) => id.toLowerCase());

const jwk = z
  .looseObject({ kid: z.string().min(1, 'must not be empty').max(256, 'must be at most 256 characters') })
  .refine((key) => privateMemberOf(key) === undefined, 'must hold public keys only')
  .refine(fitsUse, 'must be for signatures: use "sig", alg RS256 or ES256 as the key type has it')
  .refine(isUsableKey, 'must be an RSA key of 2,048 to 8,192 bits or a P-256 key')
  .transform(storedForm);

function fitsUse(key: Record<string, unknown>): boolean {
  const { alg, use, kty } = key;
  const ops = key.key_ops;
  const algOfType = kty === 'RSA' ? 'RS256' : 'ES256';
  if (ops !== undefined && !(Array.isArray(ops) && ops.includes('verify'))) return false;
  return (alg === undefined || alg === algOfType) && (use === undefined || use === 'sig');
}

function isUsableKey(jwkObject: Record<string, unknown>): boolean {
  try {
    const key = createPublicKey({ key: jwkObject as JsonWebKey, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key.asymmetricKeyType === 'rsa') return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function storedForm(key: Record<string, unknown>): PartnerJwk {
  const members = ['kty', 'kid', 'alg', 'use', 'crv', 'x', 'y', 'n', 'e'].filter((member) => key[member] !== undefined);
  return Object.fromEntries(members.map((member) => [member, key[member]])) as unknown as PartnerJwk;
}

const jwks = z
  .looseObject({ keys: z.array(jwk).min(1, 'must hold at least one key').max(MAX_KEYS, `may hold ${MAX_KEYS} keys`) })
  .refine(({ keys }) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must not use a kid twice')
  .transform(({ keys }) => ({ keys }));

/** An origin as browsers send it: scheme, host, port unless default; no path (RFC 6454 §7). */
const origin = z
  .string()
  .max(500)
  .refine(
    isOrigin,
    'must be an origin, such as https://app.example or capacitor://localhost: no path, no trailing slash',
  );

const distinct = <T>(items: T[]): T[] => [...new Set(items)];

/** A PUT body of a partner. Its output is valid input again. The service checks `jwksUri` by the environment's rules. */
export const partnerBody = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(200, 'must be at most 200 characters')
      .refine((name) => !UNPRINTABLE.test(name), 'must not hold control characters'),
    jwksUri: z.string().max(2_000, 'must be at most 2000 characters').nullish(),
    jwks: jwks.nullish(),
    scopes: z
      .array(z.enum(['issue', 'verify'], 'must be issue or verify'))
      .min(1, 'must hold issue, verify or both')
      .transform(distinct),
    issuerDids: z.array(z.string().max(500).regex(DID, 'must be a DID')).max(MAX_LIST).default([]).transform(distinct),
    issueOnBehalf: z.boolean().default(false),
    verifierIds: z.array(z.string().min(1).max(500)).max(MAX_LIST).default([]).transform(distinct),
    allowedOrigins: z.array(origin).max(100).default([]).transform(distinct),
    requireTyp: z.boolean().default(true),
    requireScope: z.boolean().default(true),
    gasPolicy: gasPolicyBody.nullish(),
  })
  .refine(({ jwksUri, jwks: keys }) => (jwksUri == null) !== (keys == null), {
    path: ['jwksUri'],
    message: 'or jwks must be given, and not both',
  });

export type PartnerBody = z.output<typeof partnerBody>;
