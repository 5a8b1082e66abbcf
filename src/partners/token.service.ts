// Partner tokens (contract §3). A token is valid when every rule below holds. Only for a correctly signed token, the error names the rule.
import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { PartnerCaller, Scope } from '../base/caller.js';
import { DomainError, toDomainError } from '../base/errors.js';
import { digest } from '../keys/sealed-box.js';
import type { PartnerDirectory } from './directory.service.js';
import type { PartnerKeySets } from './key-sets.js';
import type { PartnerRow } from './models.js';
import { PrivateKeyPublished } from './published-key-set.js';
import { parseStrictObject } from './strict-json.js';

/** The only two signature algorithms of partner tokens. */
export const ALGORITHMS = ['RS256', 'ES256'];
/** Headers by which a token could choose its own keys, or change what the signature covers. */
const REFUSED_HEADERS = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64'];
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_TOKEN = 8_192;
const MAX_KID = 256;
const TOLERANCE_S = 30;
const MAX_LIFETIME_S = 15 * 60;
const MAX_VERDICTS = 10_000;

/** The error for every token without a valid signature. */
export const BAD_PARTNER_TOKEN = 'The partner token is not valid: it must be a JWT signed with a key of the partner.';

interface TokenVerdict {
  caller: PartnerCaller;
  versions: string;
}

interface ReadToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** Verifies partner tokens. Valid ones are cached until they expire, or the partner's record or keys change. */
export class PartnerTokens {
  readonly #verdicts: LRUCache<string, TokenVerdict>;

  /** @param maxVerdicts how many verdicts are cached; the least recently used are evicted first. */
  constructor(
    private readonly directory: PartnerDirectory,
    private readonly keySets: PartnerKeySets,
    private readonly clock: () => number = Date.now,
    maxVerdicts = MAX_VERDICTS,
  ) {
    this.#verdicts = new LRUCache({ max: maxVerdicts });
  }

  /** How many verdicts are cached. */
  get remembered(): number {
    return this.#verdicts.size;
  }

  /**
   * The partner of a token.
   * @throws DomainError FORBIDDEN. All errors before and of the signature have one sentence, with a cause for the log; later ones name the rule.
   */
  async verify(token: string): Promise<PartnerCaller> {
    const id = digest(token);
    return (await this.#remembered(id)) ?? this.#judge(token, id);
  }

  async #remembered(id: string): Promise<PartnerCaller | undefined> {
    const verdict = this.#verdicts.get(id);
    if (verdict === undefined) return undefined;
    const { caller, versions } = verdict;
    const partner = await this.directory.find(caller.partnerId);
    const holds =
      partner !== undefined &&
      caller.expiresAt > this.clock() - TOLERANCE_S * 1_000 &&
      versions === (await this.#versions(partner).catch(() => undefined));
    if (holds) return caller;
    this.#verdicts.delete(id);
    return undefined;
  }

  async #judge(token: string, id: string): Promise<PartnerCaller> {
    const { header, claims } = refusing(() => read(token));
    const kid = refusing(() => checkHeader(header));
    const partner = await this.directory.find(refusing(() => partnerIdOf(claims)));
    if (partner === undefined) throw refusal(new Error('unknown or retired partner'));
    const versions = await this.#verified(token, partner);
    checkType(header, partner);
    const caller = callerOf(claims, kid, partner, this.clock() / 1_000);
    this.#verdicts.set(id, { caller, versions });
    return caller;
  }

  /**
   * Checks the signature; returns the versions for which the verdict is valid.
   * @throws DomainError FORBIDDEN; STORE_UNAVAILABLE while the keys cannot be read.
   */
  async #verified(token: string, partner: PartnerRow): Promise<string> {
    try {
      const versions = await this.#versions(partner);
      await compactVerify(token, this.keySets.of(partner).getKey, { algorithms: ALGORITHMS });
      await this.directory.noteKeySet(partner, undefined);
      return versions;
    } catch (cause) {
      if (cause instanceof PrivateKeyPublished) await this.directory.noteKeySet(partner, cause.message);
      // Without the keys, the token can be neither accepted nor refused.
      if (toDomainError(cause).code === 'STORE_UNAVAILABLE') throw cause;
      throw refusal(cause);
    }
  }

  async #versions(partner: PartnerRow): Promise<string> {
    return `${partner.version} ${await this.keySets.of(partner).version()}`;
  }
}

function refusal(cause: unknown): DomainError {
  return new DomainError('FORBIDDEN', BAD_PARTNER_TOKEN, {}, { cause });
}

function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw refusal(cause);
  }
}

function read(token: string): ReadToken {
  const [, header = '', claims = '', signature = ''] = (token.length <= MAX_TOKEN && COMPACT.exec(token)) || [];
  decode(signature);
  return { header: parseStrictObject(decode(header)), claims: parseStrictObject(decode(claims)) };
}

// Canonical base64url only: decoders may ignore trailing bits, and a token would then have several forms.
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  ensure(part !== '' && bytes.toString('base64url') === part, 'not three parts of base64url');
  return bytes;
}

function checkHeader({ alg, kid, ...rest }: Record<string, unknown>): string {
  ensure(typeof alg === 'string' && ALGORITHMS.includes(alg), 'algorithm');
  ensure(!REFUSED_HEADERS.some((name) => Object.hasOwn(rest, name)), 'a header that is not taken');
  ensure(typeof kid === 'string' && kid !== '' && kid.length <= MAX_KID, 'kid');
  return kid;
}

function checkType({ typ }: Record<string, unknown>, { requireTyp }: PartnerRow): void {
  tell(typ === 'JWT' || (typ === undefined && !requireTyp), 'its header typ must be "JWT"');
}

function partnerIdOf({ partnerId }: Record<string, unknown>): string {
  ensure(typeof partnerId === 'string' && UUID.test(partnerId), 'partnerId');
  return partnerId.toLowerCase();
}

function callerOf(
  claims: Record<string, unknown>,
  kid: string,
  partner: PartnerRow,
  nowSeconds: number,
): PartnerCaller {
  const exp = expiryOf(claims, nowSeconds);
  const scopes = scopesOf(claims, partner);
  return {
    kind: 'partner',
    partnerId: partner._id,
    scopes,
    claims: Object.freeze(claims),
    kid,
    expiresAt: exp * 1_000,
  };
}

/** Seconds since the epoch. @throws DomainError FORBIDDEN for an invalid lifetime. */
function expiryOf({ exp, nbf, iat }: Record<string, unknown>, nowSeconds: number): number {
  tell(isTime(exp), 'its claim exp must be a number: seconds since the epoch');
  tell(exp > nowSeconds - TOLERANCE_S, 'it has expired');
  tell(
    exp <= nowSeconds + MAX_LIFETIME_S + TOLERANCE_S,
    'it lives too long; exp may be at most 15 minutes ahead, in seconds',
  );
  for (const [name, start] of Object.entries({ nbf, iat })) {
    tell(start === undefined || isTime(start), `its claim ${name} must be a number: seconds since the epoch`);
    tell(start === undefined || start <= nowSeconds + TOLERANCE_S, `its claim ${name} lies ahead`);
  }
  return exp;
}

/** @throws DomainError FORBIDDEN unless the token has a scope that the record has too. */
function scopesOf({ scope }: Record<string, unknown>, { scopes, requireScope = true }: PartnerRow): Scope[] {
  if (scope === undefined && !requireScope) return scopes;
  tell(typeof scope === 'string', 'its claim scope must be a string such as "issue"');
  const words = scope.split(' ');
  const shared = scopes.filter((word) => words.includes(word));
  tell(shared.length > 0, `its claim scope must hold one of the partner's scopes: ${scopes.join(', ')}`);
  return shared;
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function ensure(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`the token's check failed: ${what}`);
}

/** Checks a rule for a token with a valid signature. @throws DomainError FORBIDDEN naming the rule. */
function tell(condition: unknown, what: string): asserts condition {
  if (!condition) throw new DomainError('FORBIDDEN', `The partner token is not valid: ${what}.`);
}
