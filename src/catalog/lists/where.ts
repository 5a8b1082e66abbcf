// From a `where` to a filter of the store. Only scalars for the listed fields and operators are accepted, so a value is always data and
// never an operator.
import { badInput } from '../../base/errors.js';
import { acceptedTexts, givenOperators } from '../../graphql/shapes/given-operators.js';
import { type Filter, KINDS } from './kinds.js';
import type { CatalogKind } from '../rows/models.js';
import { askedForms, sortNameOf } from '../rows/terms.js';
import type { Conjunct } from './paging.js';

/** `{field: {operator: value}}`. If there are several fields or operators, all must hold. */
export type Where = Readonly<Record<string, Readonly<Record<string, unknown>> | null | undefined>>;

const MAX_IN = 100;
const MAX_TEXT = 1000;

const OPERATORS = {
  equal: ['eq', 'in'],
  name: ['eq', 'in', 'contains'],
  range: ['eq', 'gt', 'gte', 'lt', 'lte'],
} as const;

/** One operator of one field, not checked yet; `at` names it in messages. */
interface GivenOperator {
  filter: Filter;
  operator: string;
  value: unknown;
  at: string;
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string' && value.length <= MAX_TEXT) return value;
  throw badInput(`"${at}" must be a text of at most ${MAX_TEXT} characters.`, at);
}

function texts(value: unknown, at: string): string[] {
  if (!Array.isArray(value) || value.length > MAX_IN) {
    throw badInput(`"${at}" must be a list of at most ${MAX_IN} texts.`, at);
  }
  return value.map((item) => text(item, at));
}

function measure(value: unknown, values: 'number' | 'date', at: string): number | Date {
  if (values === 'number' && typeof value === 'number' && Number.isFinite(value)) return value;
  if (values === 'date' && value instanceof Date && !Number.isNaN(value.getTime())) return value;
  throw badInput(`"${at}" must be a ${values}.`, at);
}

function containing(value: string, at: string): Conjunct[] {
  const words = askedForms(value);
  if (words.length === 0) throw badInput(`"${at}" must hold a letter or a digit.`, at);
  // Words contain only letters, digits and marks, so none has a character that is special in patterns.
  return words.map((forms) => {
    const beginnings = forms.map((word) => new RegExp(`^${word}`));
    return { terms: beginnings.length === 1 ? beginnings[0] : { $in: beginnings } };
  });
}

/** A name is looked up by its folded form, which is indexed, and then compared exactly. */
function named(path: string, names: string[]): Conjunct[] {
  return [{ sortName: { $in: names.map(sortNameOf) } }, { [path]: { $in: names } }];
}

function nameConditions(path: string, { operator, value, at }: GivenOperator): Conjunct[] {
  if (operator === 'contains') return containing(text(value, at), at);
  return named(path, operator === 'eq' ? [text(value, at)] : texts(value, at));
}

function conditions(given: GivenOperator): Conjunct[] {
  const { filter, operator, value, at } = given;
  if (filter.match === 'name') return nameConditions(filter.path, given);
  if (filter.match === 'range') return [{ [filter.path]: { [`$${operator}`]: measure(value, filter.values, at) } }];
  return [{ [filter.path]: operator === 'eq' ? text(value, at) : { $in: texts(value, at) } }];
}

function filterOf(kind: CatalogKind, field: string): Filter {
  const { filters } = KINDS[kind];
  const filter = Object.hasOwn(filters, field) ? filters[field] : undefined;
  if (filter !== undefined) return filter;
  const names = Object.keys(filters).join(', ');
  throw badInput(`"where" cannot filter ${kind} by ${JSON.stringify(field)}; it can by ${names}.`, `where.${field}`);
}

function checkedOperators(
  kind: CatalogKind,
  field: string,
  operators: Readonly<Record<string, unknown>>,
): GivenOperator[] {
  const filter = filterOf(kind, field);
  const allowed: readonly string[] = OPERATORS[filter.match];
  const wrong = Object.keys(operators).find((operator) => !allowed.includes(operator));
  if (wrong !== undefined) throw badInput(`"where.${field}" takes ${allowed.join(', ')} only.`, `where.${field}`);
  return Object.entries(operators).map(([operator, value]) => ({
    filter,
    operator,
    value,
    at: `where.${field}.${operator}`,
  }));
}

/** The fields of a `where` with their operators; a field that is null counts as missing. @throws DomainError BAD_USER_INPUT. */
function entriesOf(where: Where | null | undefined): [string, Readonly<Record<string, unknown>>][] {
  return Object.entries(where ?? {}).flatMap(([field, operators]): [string, Record<string, unknown>][] =>
    operators ? [[field, Object.fromEntries(givenOperators(`where.${field}`, operators))]] : [],
  );
}

/** The filter of a `where` in parts; empty without a `where`. @throws DomainError BAD_USER_INPUT naming the invalid field. */
export function whereConditions(kind: CatalogKind, where: Where | null | undefined): Conjunct[] {
  return entriesOf(where).flatMap(([field, operators]) => checkedOperators(kind, field, operators).flatMap(conditions));
}

/**
 * The order of a list with this `where`: the requested one, or that of a range filter, or by popularity.
 * @throws DomainError BAD_USER_INPUT when the requested order is not that of a range filter, because no index has the pair.
 */
export function checkedOrder(
  kind: CatalogKind,
  where: Where | null | undefined,
  requested: string | undefined,
): string {
  let order = requested;
  for (const [field] of entriesOf(where)) {
    const filter = filterOf(kind, field);
    if (filter.match !== 'range') continue;
    order ??= filter.order;
    if (order !== filter.order) {
      throw badInput(
        `A list filtered by "${field}" can only be in the order ${filter.order}, not ${order}.`,
        `where.${field}`,
      );
    }
  }
  return order ?? 'POPULARITY';
}

/** The stored counter of the rows that this `where` selects; there is one if it is a single `eq` on a relation. */
export function storedCounter(
  kind: CatalogKind,
  where: Where | null | undefined,
): { kind: CatalogKind; field: string; id: string } | undefined {
  const entries = entriesOf(where);
  const [field, operators] = entries[0] ?? [];
  if (entries.length !== 1 || field === undefined || operators === undefined) return undefined;
  const filter = filterOf(kind, field);
  const onlyEq = Object.entries(operators).every(([operator, value]) => operator === 'eq' || value === undefined);
  if (filter.match !== 'equal' || filter.counter === undefined || !onlyEq) return undefined;
  return typeof operators.eq === 'string' ? { ...filter.counter, id: operators.eq } : undefined;
}

/** The distinct ids that this `where` selects; undefined unless it is about ids alone. */
export function chosenIds(kind: CatalogKind, where: Where | null | undefined): string[] | undefined {
  const entries = entriesOf(where);
  const [field, operators] = entries[0] ?? [];
  if (entries.length !== 1 || field === undefined || operators === undefined) return undefined;
  if (filterOf(kind, field).path !== '_id') return undefined;
  return [...new Set(acceptedTexts(`where.${field}`, operators))];
}
