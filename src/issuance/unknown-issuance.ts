// The error for every look-up of an unknown issuance.
import { DomainError } from '../base/errors.js';

/** NOT_FOUND for an issuance; `field` is the field of the look-up. */
export function unknownIssuance(field: string): DomainError {
  return new DomainError('NOT_FOUND', `No issuance has this ${field}.`, { field });
}
