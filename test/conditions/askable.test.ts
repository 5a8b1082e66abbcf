// Which claims wallets are asked for: each form of conditions, each relation of a derived claim to a condition.
import { describe, expect, it } from 'vitest';
import {
  type Asked,
  askedOf,
  type Families,
  type Family,
  meetsAsked,
  parseCondition,
  presentationQuery,
} from '../../src/conditions/index.js';

const NOW = Date.parse('2026-11-26T07:30:00Z');
const DAY_MS = 86_400_000;

const FAMILIES: Readonly<Record<string, Family>> = {
  ...{ name: 'text', score: 'number', member: 'boolean', born: 'date', extra: 'json', tags: 'json' },
  ...{ 'home.city': 'text', 'home.since': 'date' },
};
const families: Families = (field) => (Object.hasOwn(FAMILIES, field) ? FAMILIES[field] : undefined);

interface Options {
  /** Conditions of derived claims, by name. */
  derived?: Record<string, string>;
  disclose?: boolean;
  now?: number;
}

function ask(conditions: readonly string[], { derived = {}, disclose = false, now = NOW }: Options = {}): Asked {
  const claims = Object.entries(derived).map(([name, condition]) => ({ name, parsed: parseCondition(condition) }));
  return askedOf({ conditions: conditions.map(parseCondition), families, derived: claims, disclose }, now);
}

function claimsOf(conditions: readonly string[], options: Options = {}) {
  const { fields, unaskable } = ask(conditions, options);
  expect(unaskable).toEqual([]);
  const [query] = presentationQuery([{ vct: 'https://a.example/vct', fields }]).credentials;
  return query?.claims?.map(({ path, values }) => (values ? [path.join('/'), values] : [path.join('/')]));
}

const ADULT = { 'age_equal_or_over.18': 'born <= today - 18 years' };

describe('What a wallet is asked', () => {
  it.each<[string[], unknown[]]>([
    [['name = "Ana"'], ['name', ['Ana']]],
    [['name = "e\u0301"'], ['name', ['\u00e9']]],
    [['score = 5'], ['score', [5]]],
    [
      ['score >= 5', 'score <= 5'],
      ['score', [5]],
    ],
    [['member = true'], ['member', [true]]],
    [
      ['member in [true, false]', 'member != true'],
      ['member', [false]],
    ],
    [['extra = "x"'], ['extra', ['x']]],
    [['home.city = "Lisboa"'], ['home/city', ['Lisboa']]],
  ])('%j states its value', (conditions, claim) => {
    expect(claimsOf(conditions)).toEqual([claim]);
  });

  it.each<[string[], Record<string, string>, string[]]>([
    // Equal, as written and in meaning.
    [['born <= today - 18 years'], ADULT, ['age_equal_or_over/18']],
    [['score >= 50', 'score <= 90'], { mid: 'score between 50 and 90' }, ['mid']],
    [['born <= 2008-11-26'], ADULT, ['age_equal_or_over/18']],
    [['home.since exists'], { settled: 'home.since exists' }, ['settled']],
    [['score = 2.5'], { half: 'score = 2.5' }, ['half']],
    [['born = 2000-01-01'], { centennial: 'born = 2000-01-01T00:00:00Z' }, ['centennial']],
    // Stronger: it implies the condition.
    [['born <= today - 18 years'], { 'age_equal_or_over.21': 'born <= today - 21 years' }, ['age_equal_or_over/21']],
    [['born <= today - 18 years'], { adult: 'born < today - 18 years' }, ['adult']],
    [['born <= today - 18 years'], { old: 'born <= 1950-01-01' }, ['old']],
    [['name in ["a", "b"]'], { a: 'name = "a"' }, ['a']],
    [['extra exists'], { odd: 'extra != 1' }, ['odd']],
    [['name != "x"'], { a: 'name in ["a", "b"]' }, ['a']],
    // The weakest of those that imply it.
    [['score >= 10'], { d40: 'score >= 40', d20: 'score >= 20', d5: 'score >= 5' }, ['d20']],
    [['score >= 10'], { d20: 'score >= 20', d10: 'score >= 10' }, ['d10']],
    // Several together, and none of them in vain.
    [['score >= 50', 'score <= 90'], { low: 'score >= 50', high: 'score <= 90' }, ['low', 'high']],
    [['score between 50 and 90'], { low: 'score >= 50', high: 'score <= 90' }, ['low', 'high']],
    [['score > 3', 'score > 5'], { d3: 'score > 3', d5: 'score > 5' }, ['d5']],
    [['score >= 10', 'score <= 90'], { low: 'score >= 10', mid: 'score between 20 and 80' }, ['mid']],
  ])('%j with the derived claims %j is asked as %j', (conditions, derived, asked) => {
    expect(claimsOf(conditions, { derived })).toEqual(asked.map((path) => [path, [true]]));
  });

  it.each<[string, string[], Record<string, string>]>([
    ['without one', ['born <= today - 18 years'], {}],
    ['weaker', ['born <= today - 18 years'], { teen: 'born <= today - 16 years' }],
    ['weaker by a day', ['born < today - 18 years'], ADULT],
    ['weaker today', ['born <= 2008-11-25'], ADULT],
    ['disjoint', ['score < 5'], { high: 'score > 5' }],
    ['overlapping', ['score between 1 and 5'], { mid: 'score between 3 and 8' }],
    ['of another field', ['score >= 5'], { named: 'name exists' }],
    ['of a field that the schema lacks', ['score >= 5'], { gone: 'points >= 5' }],
    ['of another type', ['score >= 5'], { text: 'score = "5"' }],
    ['never true', ['score >= 5'], { none: 'score between 9 and 7' }],
    ['list', ['name in ["a", "b"]'], {}],
    ['exists', ['tags exists'], {}],
    ['fraction', ['score = 2.5'], {}],
    ['beyond exact integers', ['score = 9007199254740992'], {}],
    ['date', ['born = 2000-01-01'], {}],
  ])('without disclosure it is not asked: %s', (_, conditions, conditionsOfClaims) => {
    const bounds = { none: { field: 'score', operator: '$between' as const, values: [9, 7] } };
    const derived = Object.entries(conditionsOfClaims).map(([name, text]) => ({
      name,
      parsed: name === 'none' ? bounds.none : parseCondition(text),
    }));
    const asked = askedOf({ conditions: conditions.map(parseCondition), families, derived, disclose: false }, NOW);
    expect(asked).toEqual({ fields: [], unaskable: [{ condition: conditions[0], why: 'disclose' }] });
  });

  it('only the conditions without a derived claim are named', () => {
    const { unaskable } = ask(['score >= 50', 'score <= 90'], { derived: { low: 'score >= 50' } });
    expect(unaskable).toEqual([{ condition: 'score <= 90', why: 'disclose' }]);
  });

  it.each<[string, unknown[]]>([
    ['score > 5', ['score']],
    ['tags exists', ['tags']],
    ['home.since <= today', ['home/since']],
    ['name in ["b", "e\u0301"]', ['name', ['b', '\u00e9']]],
    ['score in [1, 2.5]', ['score']],
    ['born in [2000-01-01, 2001-01-01]', ['born']],
    ['extra in [1, "1", true]', ['extra', [1, '1', true]]],
  ])('%s is asked by its path, if the program may disclose', (condition, claim) => {
    expect(claimsOf([condition], { disclose: true })).toEqual([claim]);
  });

  it.each<[string, string]>([
    ['name > "a"', 'order'],
    ['extra > 5', 'order'],
    ['score = "5"', 'type'],
    ['height > 5', 'missing'],
  ])('%s is never asked: %s', (condition, why) => {
    expect(ask([condition], { disclose: true }).unaskable).toEqual([{ condition, why }]);
  });

  it('conditions that no value meets are never asked', () => {
    expect(ask(['score > 5', 'score < 5'], { disclose: true }).unaskable).toEqual([
      { condition: 'score > 5', why: 'contradiction' },
      { condition: 'score < 5', why: 'contradiction' },
    ]);
  });
});

describe('A query', () => {
  const query = (conditions: readonly string[], options: Options = {}) =>
    presentationQuery([{ vct: 'v', fields: ask(conditions, options).fields }]).credentials[0];

  it('asks for any of the accepted credentials, of named authorities where there are some', () => {
    const { fields } = ask(['name = "Ana"']);
    expect(
      presentationQuery([
        { vct: 'https://a.example/degree', fields },
        { vct: 'urn:eudi:pid:1', fields: [], authorities: ['AQID'] },
      ]),
    ).toEqual({
      credentials: [
        {
          id: 'c0',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['https://a.example/degree'] },
          claims: [{ id: 'f0', path: ['name'], values: ['Ana'] }],
        },
        {
          id: 'c1',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          trusted_authorities: [{ type: 'aki', values: ['AQID'] }],
        },
      ],
      credential_sets: [{ options: [['c0'], ['c1']] }],
    });
  });

  it('prefers derived claims to the fields themselves, field by field', () => {
    const derived = { ...ADULT, low: 'score >= 50', high: 'score <= 90' };
    const conditions = ['born <= today - 18 years', 'name = "Ana"', 'score between 50 and 90', 'tags exists'];
    const { claims, claim_sets } = query(conditions, { derived, disclose: true }) ?? {};
    const paths = new Map(claims?.map(({ id, path }) => [id, path.join('/')]));
    expect(claim_sets?.map((set) => set.map((id) => paths.get(id)))).toEqual([
      ['name', 'tags', 'age_equal_or_over/18', 'low', 'high'],
      ['name', 'tags', 'age_equal_or_over/18', 'score'],
      ['name', 'tags', 'born', 'low', 'high'],
      ['name', 'tags', 'born', 'score'],
    ]);
  });

  it('has at most 64 sets of claims, and the last one has every field', () => {
    const names = Array.from({ length: 16 }, (_, at) => `n${at}`);
    const derived = names.map((name) => ({ name: `d.${name}`, parsed: parseCondition(`${name} > 0`) }));
    const conditions = names.map((name) => parseCondition(`${name} > 0`));
    const { fields } = askedOf({ conditions, families: () => 'number', derived, disclose: true }, NOW);
    const [asked] = presentationQuery([{ vct: 'v', fields }]).credentials;
    const paths = new Map(asked?.claims?.map(({ id, path }) => [id, path.join('.')]));
    const sets = asked?.claim_sets?.map((set) => set.map((id) => paths.get(id)).sort()) ?? [];
    expect(sets).toHaveLength(64);
    expect(sets[0]).toEqual(derived.map(({ name }) => name).sort());
    expect(sets.at(-1)).toEqual([...names].sort());
    for (const set of sets) expect(new Set(set.map((path) => path?.replace('d.', ''))).size).toBe(16);
  });
});

describe('A presentation', () => {
  const { fields } = ask(['born <= today - 18 years', 'name = "\u00e9"'], { derived: ADULT, disclose: true });
  const adult = { age_equal_or_over: { 18: true } };

  it.each<[string, Record<string, unknown>, boolean]>([
    ['derived claim', { ...adult, name: '\u00e9' }, true],
    ['text in another normal form', { ...adult, name: 'e\u0301' }, true],
    ['the field itself', { born: '2008-11-26', name: '\u00e9' }, true],
    ['the field itself does not meet it', { born: '2008-11-27', name: '\u00e9' }, false],
    ['a value decides before a derived claim', { ...adult, born: '2008-11-27', name: '\u00e9' }, false],
    ['nothing', {}, false],
    ['one field alone', adult, false],
    ['a value that was not asked for', { ...adult, name: 'x' }, false],
    ['a derived claim that is not true', { age_equal_or_over: { 18: 'true' }, name: '\u00e9' }, false],
    ['a derived claim elsewhere', { age_equal_or_over: true, name: '\u00e9' }, false],
  ])('is judged by what it discloses: %s', (_, claims, met) => {
    expect(meetsAsked(fields, claims, { now: NOW })).toBe(met);
  });

  it('a derived claim that was issued on a later day does not count', () => {
    const claims = { ...adult, name: '\u00e9' };
    const tonight = Math.floor(NOW / DAY_MS) * DAY_MS + DAY_MS - 1;
    expect(meetsAsked(fields, claims, { now: NOW, issuedAt: tonight })).toBe(true);
    expect(meetsAsked(fields, claims, { now: NOW, issuedAt: tonight + 1 })).toBe(false);
  });

  it('all derived claims of a field must be true', () => {
    const derived = { low: 'score >= 50', high: 'score <= 90' };
    const both = ask(['score >= 50', 'score <= 90'], { derived }).fields;
    expect(meetsAsked(both, { low: true, high: true }, { now: NOW })).toBe(true);
    expect(meetsAsked(both, { low: true }, { now: NOW })).toBe(false);
  });
});
