// Who commands are that write to the store themselves, in the audit log.
import { internalOperator } from '../base/callers/caller.js';

export const CLI = internalOperator('cli');
