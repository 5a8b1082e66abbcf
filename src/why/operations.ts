// The operation that explains what allows or forbids another.
import { operationsOf } from '../http/routes/operation.js';
import { whyAnswer, whyQuestion } from './types.js';
import type { Why } from './why.js';

const { query } = operationsOf<{ why: Why }>();

export const whyOperations = [
  query(
    'why',
    'What allows or forbids an operation of a partner. Partners ask about themselves, operators about any partner.',
    {
      callers: ['partner', 'operator'],
      input: whyQuestion,
      output: whyAnswer,
      run: ({ why }, { caller, input }) => why.explain(caller, input),
      // A POST, because tokens must not be in addresses.
      rest: { method: 'POST', path: '/v1/why', summary: 'What allows or forbids an operation of a partner' },
    },
  ),
];
