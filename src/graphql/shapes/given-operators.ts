// The operators of a field's filter, for the lists and subscriptions of every domain.
import { badInput } from '../../base/errors.js';
import type { TextFilter } from './filters.js';

/** The most values of an operator `in`. */
const MAX_VALUES = 100;

/**
 * The operators of a filter with their values. If a variable is not set, its operator is null or absent; a filter
 * without operators would select everything.
 * @param at names the filter in messages: `where.credentialId`
 * @throws DomainError BAD_USER_INPUT for an operator that is null, and for a filter without operators.
 */
export function givenOperators(at: string, filter: object): [string, unknown][] {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const [unset] = given.find(([, value]) => value === null) ?? [];
  if (unset !== undefined)
    throw badInput(`"${at}.${unset}" is null; give it a value, or leave out "${at}".`, `${at}.${unset}`);
  if (given.length === 0) throw badInput(`"${at}" has no operator; give it one with a value, or leave it out.`, at);
  return given;
}

/**
 * The values that a filter of a text accepts; an empty list accepts none.
 * @param at as in `givenOperators`
 * @throws DomainError BAD_USER_INPUT as `givenOperators` does, and for more than 100 values.
 */
export function acceptedTexts(at: string, filter: TextFilter): readonly string[] {
  const { eq, in: list }: TextFilter = Object.fromEntries(givenOperators(at, filter));
  if (list && list.length > MAX_VALUES) throw badInput(`"${at}.in" takes at most ${MAX_VALUES} values.`, at);
  if (typeof eq !== 'string') return list ?? [];
  return list && !list.includes(eq) ? [] : [eq];
}
