// The parts of the operators domain.
import type { Core } from '../compose/domain.js';
import { operatorModels } from './models.js';
import { operatorOperations } from './operations.js';
import { OperatorKeys } from './operator-keys.js';
import { Parts } from './parts.js';

export interface OperatorServices {
  operatorKeys: OperatorKeys;
  /** The parts of the gateway and their problems. */
  parts: Parts;
}

export const operatorsDomain = {
  models: operatorModels,
  services: ({ connection, recordWrites, clock, problems, processLease }: Core): OperatorServices => ({
    operatorKeys: new OperatorKeys({ models: operatorModels(connection), recordWrites, clock }),
    parts: new Parts({ problems, processLease }),
  }),
  operations: operatorOperations,
} as const;
