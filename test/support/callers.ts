// Callers for tests of services that no route stands before.
import type { OperatorCaller } from '../../src/base/callers/caller.js';

export const OPERATOR: OperatorCaller = { kind: 'operator', keyName: 'configured', role: 'all' };
