// The rules for partner tokens (contract §3), in the order in which they are checked.
import type { Scope } from '../base/callers/caller.js';
import { type DomainError, refusedToken } from '../base/errors.js';
import { CLOCK_TOLERANCE_S, isAhead, isOver } from '../common/token-times.js';
import type { Rules } from '../base/callers/rules.js';
import type { PartnerRow } from './models.js';
import { parseStrictObject } from './strict-json.js';

/** The only two signature algorithms of partner tokens. */
export const ALGORITHMS = ['RS256', 'ES256'];
/** Headers by which a token could choose its own keys, or change what the signature covers. */
const REFUSED_HEADERS = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64'];
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Longest token, characters. */
export const MAX_TOKEN = 8_192;
const MAX_KID = 256;
const BAD_KID = `its header kid must name a key of the partner, in at most ${MAX_KID} characters`;
const BAD_PARTNER_ID = 'its claim partnerId must be a UUID, the id of the partner';
const MAX_LIFETIME_S = 15 * 60;

/** The error for a token without a valid signature. */
export const BAD_PARTNER_TOKEN = 'The partner token is not valid: it must be a JWT signed with a key of the partner.';

/** Header and claims of a token, before its signature is verified. */
export interface TokenParts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** A token as text, with its parts; if it is no JWT, it has a cause instead. */
export interface ReadToken {
  parts?: TokenParts;
  cause?: unknown;
}

export interface ReadFacts extends ReadToken {
  parts: TokenParts;
}

/** Reads a token without verifying it. */
export function readToken(token: string): ReadToken {
  try {
    const [, header = '', claims = '', signature = ''] = (token.length <= MAX_TOKEN && COMPACT.exec(token)) || [];
    decode(signature);
    return { parts: { header: parseStrictObject(decode(header)), claims: parseStrictObject(decode(claims)) } };
  } catch (cause) {
    return { cause };
  }
}

// Canonical base64url only: decoders may ignore trailing bits, and a token would then have several forms.
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (part === '' || bytes.toString('base64url') !== part) throw failed('not three parts of base64url');
  return bytes;
}

/** The partner that a token names, in lower case; undefined if it names none. */
export function partnerIdOf({ partnerId }: Record<string, unknown>): string | undefined {
  return typeof partnerId === 'string' && UUID.test(partnerId) ? partnerId.toLowerCase() : undefined;
}

const unreadable = ({ parts }: ReadToken): string | undefined =>
  parts === undefined ? 'The token cannot be read.' : undefined;

/**
 * The rules about a token before its partner is looked up. For a token that names no key or no partner, the error says
 * so, which reveals only what was sent.
 */
export const FORM_RULES: Rules<ReadToken, ReadFacts> = [
  {
    rule: 'token.form',
    allows: 'The token is a compact JWT.',
    forbids: `The token is not a compact JWT: three parts of base64url, at most ${MAX_TOKEN} characters, strict JSON.`,
    mend: 'Send the JWT as the library signed it, without quotes or spaces.',
    refusal: ({ parts, cause }) => (parts === undefined ? refusal(cause) : undefined),
  },
  {
    rule: 'token.header',
    allows: 'Its header has an accepted algorithm, and none that chooses keys.',
    forbids: `Its header must have alg ${ALGORITHMS.join(' or ')}, and none of ${REFUSED_HEADERS.join(', ')}.`,
    mend: 'Sign with RS256 or ES256, and name the key by kid only.',
    unknown: unreadable,
    refusal({ parts }) {
      const problem = headerProblem(parts?.header ?? {});
      return problem === undefined ? undefined : refusal(failed(problem));
    },
  },
  {
    rule: 'token.kid',
    allows: 'Its header kid is text.',
    mend: 'Put the kid of the key that signs into the header.',
    unknown: unreadable,
    refusal: ({ parts }) => (isKid(parts?.header.kid) ? undefined : told(BAD_KID)),
  },
  {
    rule: 'token.partnerId',
    allows: 'Its claim partnerId is a UUID.',
    mend: 'Put the partnerId of the record into the claim partnerId.',
    unknown: unreadable,
    refusal: ({ parts }) => (partnerIdOf(parts?.claims ?? {}) === undefined ? told(BAD_PARTNER_ID) : undefined),
  },
];

function headerProblem({ alg, ...rest }: Record<string, unknown>): string | undefined {
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) return 'algorithm';
  return REFUSED_HEADERS.some((name) => Object.hasOwn(rest, name)) ? 'a header that is not taken' : undefined;
}

const isKid = (kid: unknown): boolean => typeof kid === 'string' && kid !== '' && kid.length <= MAX_KID;

/** The partner that a token, or a question to `why`, names. */
export interface PartnerFacts {
  partnerId: string | undefined;
  partner: PartnerRow | undefined;
}

/** The rule that the partner exists. */
export const PARTNER_RULES: Rules<PartnerFacts, PartnerFacts & { partner: PartnerRow }> = [
  {
    rule: 'partner.live',
    allows: 'The partner is registered.',
    forbids: 'No partner of this id is registered, or it was retired.',
    mend: 'Have the operator register the partner, or use the right partnerId.',
    unknown: ({ partnerId }) => (partnerId === undefined ? 'The token names no partner.' : undefined),
    refusal: ({ partner }) => (partner === undefined ? refusal(new Error('unknown or retired partner')) : undefined),
  },
];

/** The outcome of verifying a signature; undefined: it was not verified. If there is a cause, it is invalid. */
export interface SignatureFacts {
  /** `problem`: the fault of the partner's published key set. */
  signature: { cause?: unknown; problem?: string | null | undefined } | undefined;
}

/** The rule that a key of the partner signed the token. */
export const SIGNATURE_RULES: Rules<SignatureFacts> = [
  {
    rule: 'token.signature',
    allows: 'A key of the partner signed the token.',
    forbids: ({ signature }) =>
      ["No key of the partner's key set, of the token's kid and algorithm, verifies the signature.", signature?.problem]
        .filter(Boolean)
        .join(' '),
    mend: 'Sign with a key that is in jwks or at jwksUri, and publish only public keys there.',
    unknown: ({ signature }) =>
      signature === undefined ? 'Without a partner and a readable token, no signature is verified.' : undefined,
    refusal: ({ signature }) =>
      signature !== undefined && 'cause' in signature ? refusal(signature.cause) : undefined,
  },
];

/** A token that can be read, its partner, and the moment in seconds since the epoch. */
export interface ClaimFacts {
  parts: TokenParts | undefined;
  partner: PartnerRow | undefined;
  now: number;
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const withoutPartner = ({ parts, partner }: ClaimFacts): string | undefined =>
  unreadable({ parts }) ?? (partner === undefined ? "This depends on the partner's record." : undefined);

const claimsOf = ({ parts }: ClaimFacts): Record<string, unknown> => parts?.claims ?? {};

/** Checked only for a correctly signed token; the error names the rule. */
export const CLAIM_RULES: Rules<ClaimFacts> = [
  {
    rule: 'token.typ',
    allows: 'Its header typ is accepted.',
    mend: 'Set the header typ to "JWT", or have the operator switch requireTyp off.',
    unknown: withoutPartner,
    refusal({ parts, partner }) {
      const typ = parts?.header.typ;
      const isAccepted = typ === 'JWT' || (typ === undefined && !partner?.requireTyp);
      return isAccepted ? undefined : told('its header typ must be "JWT"');
    },
  },
  {
    rule: 'token.exp',
    allows: 'It has not expired, and lives 15 minutes at most.',
    mend: 'Sign a new token with exp in seconds, at most 15 minutes ahead, and check the clock.',
    unknown: unreadable,
    refusal: (facts) => told(expiryProblem(claimsOf(facts), facts.now)),
  },
  ...(['nbf', 'iat'] as const).map((name) => ({
    rule: `token.${name}`,
    allows: `Its claim ${name} is absent or has passed.`,
    mend: `Leave ${name} out, or set it to the present in seconds, and check the clock.`,
    unknown: unreadable,
    refusal: (facts: ClaimFacts) => told(startProblem(name, claimsOf(facts)[name], facts.now)),
  })),
  {
    rule: 'token.scope',
    allows: "Its claim scope and the partner's record share a scope.",
    mend: 'Put one of the scopes of the record into the claim scope; separate words by spaces.',
    unknown: withoutPartner,
    refusal: (facts) => told(facts.partner && scopeProblem(claimsOf(facts), facts.partner)),
  },
];

function expiryProblem({ exp }: Record<string, unknown>, now: number): string | undefined {
  if (!isTime(exp)) return 'its claim exp must be a number: seconds since the epoch';
  if (isOver(exp, now * 1_000)) return 'it has expired';
  return exp <= now + MAX_LIFETIME_S + CLOCK_TOLERANCE_S
    ? undefined
    : 'it lives too long; exp may be at most 15 minutes ahead, in seconds';
}

function startProblem(name: string, start: unknown, now: number): string | undefined {
  if (start === undefined) return undefined;
  if (!isTime(start)) return `its claim ${name} must be a number: seconds since the epoch`;
  return isAhead(start, now * 1_000) ? `its claim ${name} lies ahead of the gateway's clock` : undefined;
}

function scopeProblem(claims: Record<string, unknown>, partner: PartnerRow): string | undefined {
  if (scopesOf(claims, partner).length > 0) return undefined;
  if (typeof claims.scope !== 'string') return 'its claim scope must be a string such as "issue"';
  return `its claim scope must hold one of the partner's scopes: ${partner.scopes.join(', ')}`;
}

/** The scopes that the token and the record share; those of the record for a token without, if the record allows that. */
export function scopesOf({ scope }: Record<string, unknown>, { scopes, requireScope = true }: PartnerRow): Scope[] {
  if (scope === undefined) return requireScope ? [] : scopes;
  const words = typeof scope === 'string' ? scope.split(' ') : [];
  return scopes.filter((word) => words.includes(word));
}

const failed = (what: string): Error => new Error(`the token's check failed: ${what}`);

/** The error for a token that no known key of the partner has signed. It reveals no more than that. */
export function refusal(cause: unknown): DomainError {
  return refusedToken('partner', BAD_PARTNER_TOKEN, { cause });
}

function told(problem: string | undefined): DomainError | undefined {
  return problem === undefined ? undefined : refusedToken('partner', `The partner token is not valid: ${problem}.`);
}
