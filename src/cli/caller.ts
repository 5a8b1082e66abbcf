// The caller, in the audit log, of commands that write to the store directly.
import { internalOperator } from '../base/callers/caller.js';

export const CLI = internalOperator('cli');
