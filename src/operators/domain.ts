// The parts of the operators domain.
import type { Core } from '../compose/domain.js';
import { operatorModels } from './models.js';
import { OperatorKeys } from './operator-keys.js';
import { OperatorsResolver } from './operators.resolver.js';

export interface OperatorServices {
  operatorKeys: OperatorKeys;
}

export const operatorsDomain = {
  models: operatorModels,
  services: ({ connection, recordWrites, clock }: Core): OperatorServices => ({
    operatorKeys: new OperatorKeys({ models: operatorModels(connection), recordWrites, clock }),
  }),
  resolvers: [OperatorsResolver],
  routes: () => [],
} as const;
