// Who commands are that write to the store themselves, in the audit log.
import type { OperatorCaller } from '../base/caller.js';

export const CLI: OperatorCaller = { kind: 'operator', keyName: 'cli', role: 'all' };
