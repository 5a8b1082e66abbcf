// Queries for wallets, judged by another implementation of DCQL: the wallet finds every credential that meets the conditions, and where
// the query states values or derived claims, no other.
import { DcqlQuery } from 'dcql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AskedField,
  askedOf,
  type Condition,
  compareConditions,
  type DerivedClaim,
  type Families,
  type Family,
  evaluate,
  meetsAsked,
  parseCondition,
  type PresentationQuery,
  presentationQuery,
  printCondition,
  valueAt,
} from '../../src/conditions/index.js';
import { walletClaims } from '../../src/issuance/wallets/claims.js';
import { condition, families as flat, FIELDS, NOW, RUNS, subject } from './generated.js';

const VCT = 'https://gateway.example/vct/degree';
const DAY_MS = 86_400_000;
const CASES = Math.max(2_000, RUNS);

/** Some fields are nested. */
const PATHS: Readonly<Record<string, string>> = { name: 'person.name', born: 'person.birth.date' };
const FLAT = new Map(Object.entries(PATHS).map(([name, path]) => [path, name]));
const nested = ({ field, ...rest }: Condition): Condition => ({ field: PATHS[field] ?? field, ...rest });
const families: Families = (field) => flat(FLAT.get(field) ?? field);

/** A derived claim stays true: its relative dates only come with these operators. */
const lasts = ({ operator, values }: Condition): boolean =>
  operator === '$lt' || operator === '$lte' || !values.some((value) => /^today/.test(String(value)));

const claim = condition.filter(lasts).map(nested);
const wanted = fc.array(condition.map(nested), { maxLength: 4 });

/** Conditions, and derived claims that are more often than not related to them. */
const asking = wanted.chain((conditions) =>
  fc.record({
    conditions: fc.constant(conditions),
    derived: fc
      .tuple(fc.subarray(conditions.filter(lasts)), fc.array(claim, { maxLength: 6 }))
      .map((lists) => lists.flat().map((parsed, at): DerivedClaim => ({ name: `ok.${at}`, parsed }))),
    disclose: fc.boolean(),
  }),
);

/** A subject of which no value is null: for this judge, a claim that is null is absent. */
const complete = subject.map((values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
);

function isMet(condition: Condition, claims: object, now: number): boolean {
  return evaluate(condition, families(condition.field) ?? 'json', valueAt(claims, condition.field), now) === 'met';
}

const TYPES: Readonly<Record<Family, string>> = {
  ...{ number: 'number', date: 'date-time', boolean: 'boolean', text: 'string', json: 'any' },
};
const DATA_POINTS = Object.entries(FIELDS).map(([name, family]) => ({
  ...{ name: PATHS[name] ?? name, title: name, description: '', type: TYPES[family], isRequired: false },
}));

const nestedSubject = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [PATHS[name] ?? name, value]));

/** The claims of a credential that is issued at `now`, as its JSON has them. */
function issued(
  values: Record<string, unknown>,
  derived: readonly DerivedClaim[],
  now: number,
): Record<string, unknown> {
  const stored = derived.map((each) => ({ ...each, condition: printCondition(each.parsed) }));
  const { claims } = walletClaims(nestedSubject(values), { dataPoints: DATA_POINTS, derived: stored }, now);
  return JSON.parse(JSON.stringify(claims)) as Record<string, unknown>;
}

/** Whether a wallet with these credentials, which have no claims, can answer. */
function wallet(query: PresentationQuery, held: readonly { vct: string; authority?: string }[]): boolean {
  const credentials = held.map(({ vct, authority }) => ({
    ...({ credential_format: 'dc+sd-jwt', vct, cryptographic_holder_binding: true, claims: {} } as const),
    ...(authority === undefined ? {} : { authority: { type: 'aki' as const, values: [authority] as [string] } }),
  }));
  return DcqlQuery.query(DcqlQuery.parse(query as never), credentials).can_be_satisfied;
}

interface ClaimsResult {
  success: boolean;
  valid_claim_sets?: { valid_claim_indexes?: number[]; output: unknown }[];
}

/** The sets of claims with which a wallet satisfies the query; none: it has no such credential. */
function judged(fields: readonly AskedField[], claims: Record<string, unknown>) {
  const query = DcqlQuery.parse(presentationQuery([{ vct: VCT, fields }]) as never);
  DcqlQuery.validate(query);
  const result = DcqlQuery.query(query, [
    { credential_format: 'dc+sd-jwt', vct: VCT, cryptographic_holder_binding: true, claims: claims as never },
  ]);
  const found = result.credential_matches.c0?.valid_credentials?.[0]?.claims as ClaimsResult | undefined;
  expect(found !== undefined).toBe(result.can_be_satisfied);
  const asked = query.credentials[0]?.claims ?? [];
  return (found?.valid_claim_sets ?? []).map(({ valid_claim_indexes = [], output }) => ({
    output: output as Record<string, unknown>,
    statesValues: valid_claim_indexes.every((at) => asked[at]?.values !== undefined),
  }));
}

/** Whether a field is asked by derived claims alone that say more than its conditions. */
function isStricter(
  { form, derived, own }: AskedField,
  conditions: readonly Condition[],
  claims: readonly DerivedClaim[],
) {
  if (own || derived.length === 0) return false;
  const parsed = claims.filter(({ name }) => derived.includes(name)).map((each) => each.parsed);
  const ofField = conditions.filter(({ field }) => field === form.field);
  const compared = compareConditions(parsed, ofField, families, NOW);
  if ('faults' in compared) throw new Error(JSON.stringify(compared.faults));
  expect(compared.aImpliesB).toBe(true);
  return !compared.equivalent;
}

describe('A query for wallets', () => {
  it('finds every credential that meets the conditions, and by values or derived claims no other', () => {
    const seen = { found: 0, foundByDerived: 0, refused: 0, unmetPath: 0, stricter: 0 };
    fc.assert(
      fc.property(asking, complete, ({ conditions, derived, disclose }, values) => {
        const { fields, unaskable } = askedOf({ conditions, families, derived, disclose }, NOW);
        fc.pre(unaskable.length === 0);
        const claims = issued(values, derived, NOW);
        const accepts = conditions.every((each) => isMet(each, nestedSubject(values), NOW));
        const sets = judged(fields, claims);
        const stricter = fields.filter((field) => isStricter(field, conditions, derived));
        if (accepts && sets.length === 0) {
          // The one reason not to be found: a stronger claim is all that there is, and it is not true of this holder.
          seen.stricter += 1;
          expect(stricter.some(({ derived: names }) => names.some((name) => valueAt(claims, name) !== true))).toBe(
            true,
          );
        }
        if (accepts && sets.length > 0) seen.found += 1;
        if (accepts && fields.some((field) => field.derived.length > 0)) seen.foundByDerived += 1;
        if (!accepts && sets.length === 0) seen.refused += 1;
        for (const { output, statesValues } of sets) {
          if (statesValues) expect(accepts).toBe(true);
          else if (!accepts) seen.unmetPath += 1;
          expect(meetsAsked(fields, output, { now: NOW })).toBe(accepts);
        }
      }),
      { numRuns: CASES },
    );
    expect(Math.min(seen.found, seen.foundByDerived, seen.refused, seen.unmetPath)).toBeGreaterThan(CASES / 40);
    expect(seen.stricter).toBeLessThan(CASES / 40);
  });

  it('finds no credential by derived claims that were true earlier and whose conditions are not met now', () => {
    const seen = { found: 0 };
    fc.assert(
      fc.property(asking, complete, fc.integer({ min: 0, max: 20_000 }), ({ conditions, derived }, values, days) => {
        const { fields, unaskable } = askedOf({ conditions, families, derived, disclose: false }, NOW);
        fc.pre(unaskable.length === 0 && fields.some((field) => field.derived.length > 0));
        const issuedAt = NOW - days * DAY_MS;
        const claims = issued(values, derived, issuedAt);
        for (const { output } of judged(fields, claims)) {
          seen.found += 1;
          expect(conditions.every((each) => isMet(each, claims, NOW))).toBe(true);
          expect(meetsAsked(fields, output, { now: NOW, issuedAt })).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen.found).toBeGreaterThan(RUNS / 20);
  });

  it('finds a text in any normal form', () => {
    for (const text of ['e\u0301', '\u00e9'])
      for (const condition of [`person.name = "${text}"`, `person.name in ["a", "${text}"]`]) {
        const asked = { conditions: [parseCondition(condition)], families, derived: [], disclose: true };
        const { fields } = askedOf(asked, NOW);
        for (const name of ['e\u0301', '\u00e9'])
          expect(judged(fields, issued({ name }, [], NOW))).toMatchObject([{ statesValues: true }]);
      }
  });

  it.each<[string, string[], boolean]>([
    ['one of the types', ['urn:a', 'urn:b'], true],
    ['another type', ['urn:c'], false],
    ['nothing', [], false],
  ])('is for any of the accepted credentials: a wallet with %s', (_, types, found) => {
    const accepted = ['urn:a', 'urn:b'].map((vct) => ({ vct, fields: [] }));
    expect(
      wallet(
        presentationQuery(accepted),
        types.map((vct) => ({ vct })),
      ),
    ).toBe(found);
  });

  it.each<[string, string | undefined, boolean]>([
    ['the authority', 'AQID', true],
    ['the other authority', 'BAUG', true],
    ['a third authority', 'BwgJ', false],
    ['no authority', undefined, false],
  ])('names the authorities of an issuer: a wallet with a credential of %s', (_, authority, found) => {
    const query = presentationQuery([{ vct: VCT, fields: [], authorities: ['AQID', 'BAUG'] }]);
    expect(wallet(query, [{ vct: VCT, authority }])).toBe(found);
  });
});
