// Conditions as operators write them, checked against the schema of their credential.
import { badInput } from '../../base/errors.js';
import { type Condition, checkedCondition, ConditionSyntaxError, isRelativeDate } from '../../conditions/index.js';
import { reservedName } from '../json-schema/claim-names.service.js';
import { firstClash } from '../json-schema/data-point-names.js';
import type { DataPoint, DerivedClaim } from '../rows/models.js';
import type { CredentialBody } from './bodies.js';

/** @throws DomainError BAD_USER_INPUT with the 0-based position in the condition's text. */
export function storedCondition(text: string, dataPoints: readonly DataPoint[], field: string): Condition {
  try {
    return checkedCondition(text, dataPoints);
  } catch (thrown) {
    if (!(thrown instanceof ConditionSyntaxError)) throw thrown;
    throw badInput(`"${field}" is wrong at position ${thrown.position}: ${thrown.message}.`, field);
  }
}

/** Operators that stay true for a relative date, because the date moves forward. */
const LASTING: ReadonlySet<string> = new Set(['$lt', '$lte']);

/** Derived claims with parsed conditions. @throws DomainError BAD_USER_INPUT. */
export function derivedClaims(claims: CredentialBody['derived'], dataPoints: readonly DataPoint[]): DerivedClaim[] {
  if (claims.length === 0) return [];
  const clash = firstClash([...dataPoints, ...claims]);
  if (clash !== undefined) throw badInput(`"derived" and the schema's data points clash at "${clash}".`, 'derived');
  return claims.map(({ name, condition }, at) => {
    if (reservedName([name]) !== undefined)
      throw badInput(`"derived[${at}].name" has another meaning in wallets: ${name}.`, `derived[${at}].name`);
    const field = `derived[${at}].condition`;
    const parsed = storedCondition(condition, dataPoints, field);
    const isRelative = parsed.values.some((value) => typeof value === 'string' && isRelativeDate(value));
    if (isRelative && !LASTING.has(parsed.operator))
      throw badInput(
        `"${field}" must compare with a relative date by < or <=: by others, it may become false later.`,
        field,
      );
    return { name, condition, parsed };
  });
}
