// Who commands are that write to the store themselves, in the audit log.
import { internalOperator } from '../base/caller.js';

export const CLI = internalOperator('cli');
