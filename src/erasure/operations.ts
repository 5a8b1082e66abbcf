// Erasures, for operators (contract §7).
import { operationsOf } from '../http/routes/operation.js';
import type { Erasures } from './erasures.js';
import { eraseHolderInput, eraseHolderPayload, erasure, erasureInput, erasureParams } from './types.js';

const { query, mutation } = operationsOf<{ erasures: Erasures }>();

export const erasureOperations = [
  mutation(
    'eraseHolder',
    'Erases a holder: keys, addresses, packages and everything that names it. It cannot be undone. Operator only.',
    {
      callers: 'operator',
      audit: 'holder.erase',
      input: eraseHolderInput,
      output: erasure,
      run: ({ erasures }, { caller, input }) => erasures.begin(caller, input),
      rest: {
        method: 'POST',
        path: '/v1/admin/holders/erase',
        summary: 'Erase a holder; this cannot be undone',
        status: 202,
        fails: {
          404: 'There is no such holder, or it was erased.',
          409: 'A transaction of the holder is in progress and must end first.',
        },
      },
      graphql: { argument: 'Which holder.', payload: eraseHolderPayload, show: (erasure) => ({ erasure }) },
    },
  ),

  query('erasure', 'An erasure. Operator only.', {
    callers: 'operator',
    input: erasureInput,
    output: erasure,
    run: ({ erasures }, { input }) => erasures.find(input.erasureId),
    rest: {
      method: 'GET',
      path: '/v1/admin/erasures/:id',
      request: { params: erasureParams, input: ({ params: { id = '' } }) => ({ erasureId: id }) },
      summary: 'The progress of an erasure',
      fails: { 404: 'There is no such erasure.' },
    },
  }),
];
