// Conditions as a person reads them: by the titles of the schema, with values as the session's locale shows them.
import { type Condition, conditionsOf, type FieldForm, isIsoDate, type Literal } from '../../conditions/index.js';
import type { Consents } from '../texts-consents.js';

/** Texts of comparisons, and the locale of values. */
export interface Wording {
  texts: Consents['comparison'];
  locale: string;
}

/** The conditions of a form, in the order of `explain`, each with the title of its field. */
export function conditionsInWords(wording: Wording, form: FieldForm, title: string): string[] {
  return conditionsOf(form).map((condition) => `${title}: ${phrase(wording, condition, form.family)}`);
}

function phrase({ texts, locale }: Wording, { operator, values }: Condition, family: FieldForm['family']): string {
  const shown = values.map((value) => valueInWords({ texts, locale }, value, family));
  const [first = '', second = ''] = shown;
  const isDate = family === 'date';
  const list = (): string => new Intl.ListFormat(locale, { type: 'disjunction' }).format(shown);
  switch (operator) {
    case '$exists':
      return texts.exists;
    case '$eq':
      return texts.eq(first);
    case '$ne':
      return texts.ne(first);
    case '$gt':
      return (isDate ? texts.after : texts.gt)(first);
    case '$gte':
      return (isDate ? texts.from : texts.gte)(first);
    case '$lt':
      return (isDate ? texts.before : texts.lt)(first);
    case '$lte':
      return (isDate ? texts.until : texts.lte)(first);
    case '$in':
      return texts.in(list());
    case '$nin':
      return texts.nin(list());
    case '$between':
      return texts.between(first, second);
    case '$nonbetween':
      return texts.nonbetween(first, second);
  }
}

/** A value: a date in words, a number in the locale's digits, anything else as it is. */
export function valueInWords({ texts, locale }: Wording, value: Literal, family: FieldForm['family']): string {
  if (typeof value === 'boolean') return value ? texts.true : texts.false;
  if (typeof value === 'number') return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value);
  if (family !== 'date' || !isIsoDate(value)) return value;
  const day = { dateStyle: 'long', timeZone: 'UTC' } as const;
  const style = value.length === 10 ? day : ({ ...day, timeStyle: 'long' } as const);
  return new Intl.DateTimeFormat(locale, style).format(new Date(value));
}
