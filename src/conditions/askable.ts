// Which claims wallets are asked for to check conditions, and why some conditions cannot be asked.
import { compareConditions } from './algebra.js';
import { isDcqlValue } from './dcql.js';
import { evaluate, valueAt } from './evaluate.js';
import { conditionsOf, type Families, type FieldForm, type FormFault, normalForm } from './normal-form.js';
import { printCondition } from './print.js';
import type { Condition, Literal } from './types.js';

/** A claim that is `true` in credentials whose subject met a condition at issuance, and absent from others. */
export interface DerivedClaim {
  /** Its path, with dots. */
  name: string;
  /** The condition, on one field. Relative dates only with `<` and `<=`, so that it stays true. */
  parsed: Condition;
}

/** Conditions on a credential, and what its form for wallets offers to check them. */
export interface WalletConditions {
  /** All must hold. */
  conditions: readonly Condition[];
  families: Families;
  derived: readonly DerivedClaim[];
  /** Whether values may be asked for that the conditions do not state. */
  disclose: boolean;
}

/** The claims that are asked for one field: derived claims, the field itself, or either of them (derived claims first). */
export interface AskedField {
  /** The requirement, dates absolute. */
  form: FieldForm;
  /** Names of derived claims, with dots. If all are true, the field meets its form. Empty: none is asked. */
  derived: string[];
  /** The field itself, with the values that it may have if DCQL can express them. */
  own?: { values?: Literal[] };
}

/** `disclose`: the value would have to be disclosed, and the program does not ask for that. */
export type UnaskableReason = FormFault | 'disclose';

/** A condition, as text, that wallets cannot be asked about. */
export interface Unaskable {
  condition: string;
  why: UnaskableReason;
}

export interface Asked {
  /** Sorted by field, in the order of code units; of use only if nothing is unaskable. */
  fields: AskedField[];
  unaskable: Unaskable[];
}

/**
 * The claims to ask for. A derived claim is asked if it implies a condition at `now`; of several, the weakest. Holders who
 * meet the condition but not a stronger claim are only found if the field itself may be asked, too.
 * @param now ms since 1970 UTC, for relative dates
 */
export function askedOf({ conditions, families, derived, disclose }: WalletConditions, now: number): Asked {
  const { forms, faults } = normalForm(conditions, families, now);
  const asked: Asked = { fields: [], unaskable: [...faults] };
  for (const form of forms) {
    const values = valuesOf(form);
    if (form.equals !== undefined && values) {
      asked.fields.push({ form, derived: [], own: { values } });
      continue;
    }
    const ofField = conditions.filter(({ field }) => field === form.field);
    const onField = derived.filter(({ parsed }) => parsed.field === form.field);
    const { claims, rest } = new Implications(families, now).cover(ofField, onField);
    const names = rest.length === 0 ? claims.map(({ name }) => name) : [];
    if (disclose) asked.fields.push({ form, derived: names, own: values ? { values } : {} });
    else if (rest.length === 0) asked.fields.push({ form, derived: names });
    else asked.unaskable.push(...rest.map((each) => ({ condition: printCondition(each), why: 'disclose' as const })));
  }
  return asked;
}

/** The only values that meet a form, if DCQL can express them. Dates have several spellings, which DCQL does not compare as equal. */
function valuesOf({ family, equals, in: members }: FieldForm): Literal[] | undefined {
  const values = equals === undefined ? members : [equals];
  return family !== 'date' && values?.every(isDcqlValue) ? values : undefined;
}

/** Finds derived claims that imply conditions on one field. */
class Implications {
  constructor(
    private readonly families: Families,
    private readonly now: number,
  ) {}

  /** The fewest of these claims that together imply the conditions, and the conditions that none implies. */
  cover(
    conditions: readonly Condition[],
    derived: readonly DerivedClaim[],
  ): { claims: DerivedClaim[]; rest: Condition[] } {
    const whole = derived.find(
      ({ parsed }) => this.#implies([parsed], conditions) && this.#implies(conditions, [parsed]),
    );
    if (whole) return { claims: [whole], rest: [] };
    const chosen = conditions.map((condition) => this.#parts(condition).map((part) => this.#weakest(derived, part)));
    const rest = conditions.filter((_, at) => chosen[at]?.includes(undefined));
    const claims = [...new Set(chosen.flat().filter((claim) => claim !== undefined))];
    return { claims: rest.length === 0 ? this.#withoutSpare(claims, conditions) : claims, rest };
  }

  /** Conditions that together say the same, such as the two bounds of a range. */
  #parts(condition: Condition): Condition[] {
    return normalForm([condition], this.families, this.now).forms.flatMap(conditionsOf);
  }

  /** The claim that implies the condition and excludes the fewest holders; of equal ones the first. */
  #weakest(derived: readonly DerivedClaim[], condition: Condition): DerivedClaim | undefined {
    const [first, ...others] = derived.filter(({ parsed }) => this.#implies([parsed], [condition]));
    return others.reduce(
      (best, other) =>
        best && this.#implies([best.parsed], [other.parsed]) && !this.#implies([other.parsed], [best.parsed])
          ? other
          : best,
      first,
    );
  }

  #withoutSpare(claims: readonly DerivedClaim[], conditions: readonly Condition[]): DerivedClaim[] {
    return claims.reduce((left: readonly DerivedClaim[], claim): readonly DerivedClaim[] => {
      const others = left.filter((each) => each !== claim);
      const parsed = others.map((each) => each.parsed);
      return others.length > 0 && this.#implies(parsed, conditions) ? others : left;
    }, claims) as DerivedClaim[];
  }

  /** Whether values that meet `a` exist, and all of them meet `b`. */
  #implies(a: readonly Condition[], b: readonly Condition[]): boolean {
    const compared = compareConditions(a, b, this.families, this.now);
    if ('faults' in compared) return false;
    return compared.aImpliesB && !compared.disjoint;
  }
}

/**
 * Whether presented claims meet what was asked. A value that is disclosed decides; else derived claims do.
 * @param claims of the presentation: those that are disclosed
 * @param times in ms since 1970 UTC: `now` as in `askedOf`; `issuedAt` (`iat`), if the credential has it. Derived claims of
 * a day after `now` do not count, because their relative dates may be later.
 */
export function meetsAsked(
  fields: readonly AskedField[],
  claims: Record<string, unknown>,
  { now, issuedAt = now }: { now: number; issuedAt?: number },
): boolean {
  const isLater = Math.floor(issuedAt / DAY_MS) > Math.floor(now / DAY_MS);
  return fields.every(({ form, derived }) => {
    const value = valueAt(claims, form.field);
    if (value !== undefined)
      return conditionsOf(form).every((condition) => evaluate(condition, form.family, value, now) === 'met');
    return derived.length > 0 && !isLater && derived.every((name) => valueAt(claims, name) === true);
  });
}

const DAY_MS = 86_400_000;
