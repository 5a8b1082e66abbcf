// The operators of a field's filter, for the lists and subscriptions of every domain.
import { badInput } from '../../base/errors.js';

/**
 * The operators of a filter with their values. A variable that is not set leaves null, or no operator at all; read as "any value", it would
 * return everything.
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
