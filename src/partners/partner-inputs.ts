// What the operator sends to write partners (contract §7), checked so that every stored record works.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import { isOrigin } from '../base/config/origins.js';
import { input, shownAs } from '../base/record.js';
import { preconditionMembers } from '../http/requests/preconditions.js';
import { privateMemberOf } from '../keys/public-jwk.js';
import { gasPolicyInput } from './gas-policy-types.js';
import type { PartnerJwk } from './models.js';
import { partnerScope } from './types.js';

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;
/** W3C DID Core §3.1. */
const DID = /^did:[a-z0-9]+:(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+$/;
const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 8_192;
const MAX_KEYS = 50;
const MAX_LIST = 1_000;

/** The id of a partner, for look-ups. */
const anyId = z.string().min(1).max(100);
/** The id of a partner to write: a UUID, in lower case. */
export const partnerUuid = anyId.pipe(z.guid('must be a UUID').transform((id) => id.toLowerCase()));

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

const { ifMatch, ifNoneMatch } = preconditionMembers('record');

/**
 * Its output is valid input again. The service checks `jwksUri` by the environment's rules, and that either it or
 * `jwks` is present.
 */
export const putPartnerInput = input('PutPartnerInput', 'The new content of a partner; replaces the whole record.', {
  partnerId: partnerUuid.describe('Id of the partner, a UUID.'),
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(200, 'must be at most 200 characters')
    .refine((name) => !UNPRINTABLE.test(name), 'must not hold control characters')
    .describe('Name of the partner.'),
  jwksUri: z
    .string()
    .max(2_000, 'must be at most 2000 characters')
    .nullish()
    .describe('https URL of its published key set; this or jwks.'),
  jwks: shownAs('JSON', jwks).nullish().describe('Its key set (RFC 7517); this or jwksUri.'),
  scopes: z
    .array(partnerScope)
    .min(1, 'must hold issue, verify or both')
    .transform(distinct)
    .describe('What its tokens allow.'),
  issuerDids: z
    .array(z.string().max(500).regex(DID, 'must be a DID'))
    .max(MAX_LIST)
    .default([])
    .transform(distinct)
    .describe('Issuers it may issue for; default none.'),
  issueOnBehalf: z
    .boolean()
    .default(false)
    .describe('Whether managed issuers may sign credentials for it; default false.'),
  verifierIds: z
    .array(z.string().min(1).max(500))
    .max(MAX_LIST)
    .default([])
    .transform(distinct)
    .describe('Verifiers whose programs it may run; default: none.'),
  allowedOrigins: z
    .array(origin)
    .max(100)
    .default([])
    .transform(distinct)
    .describe('Origins whose pages may call with its tokens; default none.'),
  requireTyp: z.boolean().default(true).describe('Whether its tokens must have the header typ; default true.'),
  requireScope: z.boolean().default(true).describe('Whether its tokens must have the claim scope; default true.'),
  gasPolicy: gasPolicyInput
    .nullish()
    .describe("How much of its holders' gas it pays for; what is left out has its default."),
  ifMatch,
  ifNoneMatch,
});

/** The content of a partner: a PUT body, or a line of an import. */
export const partnerBody = putPartnerInput.omit({ partnerId: true, ifMatch: true, ifNoneMatch: true });
export type PartnerBody = z.output<typeof partnerBody>;

export const retirePartnerInput = input('RetirePartnerInput', 'Which partner to retire.', {
  partnerId: anyId.describe('Id of the partner.'),
  ifMatch,
});

export const partnerInput = z.strictObject({ partnerId: anyId.describe('Id of the partner.') });
