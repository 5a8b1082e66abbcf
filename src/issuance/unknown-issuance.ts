// One sentence for every look-up of an issuance that finds none.
import { DomainError } from '../base/errors.js';

/** The NOT_FOUND error of an issuance; `field` is what it was looked up by. */
export function unknownIssuance(field: string): DomainError {
  return new DomainError('NOT_FOUND', `No issuance has this ${field}.`, { field });
}
