// The parts of the operators domain.
import type { Core } from '../compose/domain.js';
import { operatorModels } from './models.js';
import { operatorOperations } from './operations.js';
import { OperatorKeys } from './operator-keys.js';

export interface OperatorServices {
  operatorKeys: OperatorKeys;
}

export const operatorsDomain = {
  models: operatorModels,
  services: ({ connection, recordWrites, clock }: Core): OperatorServices => ({
    operatorKeys: new OperatorKeys({ models: operatorModels(connection), recordWrites, clock }),
  }),
  operations: operatorOperations,
} as const;
