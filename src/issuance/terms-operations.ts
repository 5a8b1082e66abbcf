// The operation by which holders read a credential's terms before they accept it.
import { operationsOf } from '../http/routes/operation.js';
import type { TermsReader } from './terms.js';
import { credentialTerms, credentialTermsInput } from './terms-types.js';

const { query } = operationsOf<{ termsReader: TermsReader }>();

export const termsOperations = [
  query('credentialTerms', 'What a holder is told of a credential before it takes it. Holders.', {
    callers: 'holder',
    input: credentialTermsInput,
    output: credentialTerms,
    run: ({ termsReader }, { caller, input }) => termsReader.terms(caller, input.credentialId),
    rest: {
      method: 'GET',
      path: '/v1/credentials/:credentialId/terms',
      summary: 'What a holder is told of a credential before it takes it, where the catalog is closed, too',
      fails: { 404: 'There is no such credential.' },
    },
  }),
];
