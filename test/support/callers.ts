// Callers for tests that call services directly, without a route.
import type { OperatorCaller } from '../../src/base/callers/caller.js';

export const OPERATOR: OperatorCaller = { kind: 'operator', keyName: 'configured', role: 'all' };
