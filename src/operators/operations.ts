// Operations on operator keys, for keys with the role `all`, only in GraphQL; and the parts of the gateway.
import { z } from 'zod';
import { operationsOf } from '../http/routes/operation.js';
import type { OperatorKeys } from './operator-keys.js';
import { type Parts, part } from './parts.js';
import {
  createOperatorKeyInput,
  type OperatorKeyWithText,
  operatorKey,
  operatorKeyInput,
  operatorKeyTextPayload,
  operatorKeyWithText,
  withdrawOperatorKeyPayload,
} from './types.js';

const { query, mutation } = operationsOf<{ operatorKeys: OperatorKeys; parts: Parts }>();

const withText = ({ key, ...operatorKey }: OperatorKeyWithText) => ({ operatorKey, key });

export const operatorOperations = [
  query('parts', 'The parts of the gateway: which work, since when one does not, and what to do. Operator only.', {
    callers: 'operator',
    output: z.array(part),
    run: ({ parts }) => parts.list(),
    rest: {
      method: 'GET',
      path: '/v1/admin/parts',
      summary: 'The parts of the gateway: which work, since when one does not, and what to do',
    },
    graphql: { extensions: { size: 30 } },
  }),

  query('operatorKeys', 'All named operator keys, withdrawn ones too, by name. Operator only.', {
    callers: 'operator',
    role: 'all',
    output: z.array(operatorKey),
    run: ({ operatorKeys }) => operatorKeys.list(),
  }),

  mutation('createOperatorKey', 'Creates an operator key. Operator only.', {
    callers: 'operator',
    audit: 'operator-key.create',
    input: createOperatorKeyInput,
    output: operatorKeyWithText,
    run: ({ operatorKeys }, { caller, input }) => operatorKeys.create(caller, input),
    graphql: { argument: 'Its name and role.', payload: operatorKeyTextPayload, show: withText },
  }),

  mutation(
    'rotateOperatorKey',
    'Creates a new key of the same name. The previous one works for 24 more hours. Operator only.',
    {
      callers: 'operator',
      audit: 'operator-key.rotate',
      input: operatorKeyInput,
      output: operatorKeyWithText,
      run: ({ operatorKeys }, { caller, input }) => operatorKeys.rotate(caller, input),
      graphql: { argument: 'Which one.', payload: operatorKeyTextPayload, show: withText },
    },
  ),

  mutation('withdrawOperatorKey', 'Withdraws an operator key for good. Operator only.', {
    callers: 'operator',
    audit: 'operator-key.withdraw',
    input: operatorKeyInput,
    output: operatorKey,
    run: ({ operatorKeys }, { caller, input }) => operatorKeys.withdraw(caller, input),
    graphql: {
      argument: 'Which one.',
      payload: withdrawOperatorKeyPayload,
      show: (operatorKey) => ({ operatorKey }),
    },
  }),
];
