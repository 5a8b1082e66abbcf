// Public halves of CAKs: the holder registers and reads its own, the issuer's partners read them (contract §17).
import { operationsOf } from '../../http/routes/operation.js';
import type { CakKeys } from './cak.js';
import { cakKey, cakKeyInput, ownCakKeyInput, registerCakInput, registerCakPayload } from './types.js';

const { query, mutation } = operationsOf<{ cakKeys: CakKeys }>();

const OWN = '/v1/holders/me/cak';

export const cakOperations = [
  mutation(
    'registerCak',
    "Registers the public half of the holder's CAK for an issuer and a schema, in place of an earlier one.",
    {
      callers: 'holder',
      audit: 'holder',
      input: registerCakInput,
      output: cakKey,
      run: ({ cakKeys }, { caller, input }) => cakKeys.register(caller, input),
      rest: {
        method: 'PUT',
        path: OWN,
        summary: "Register the public half of the holder's CAK for an issuer and a schema",
        fails: { 404: 'The issuer has no credential with a CAK on this schema.' },
      },
      graphql: { argument: 'Which key.', payload: registerCakPayload, show: (registered) => ({ cakKey: registered }) },
    },
  ),

  query('ownCakKey', "The public half of the holder's own CAK for an issuer and a schema. Holders.", {
    callers: 'holder',
    input: ownCakKeyInput,
    output: cakKey,
    run: ({ cakKeys }, { caller, input }) => cakKeys.own(caller, input),
    rest: {
      method: 'GET',
      path: OWN,
      summary: "The public half of the holder's own CAK for an issuer and a schema",
      fails: { 404: 'There is none.' },
    },
  }),

  query('cakKey', "A holder's CAK public key. Partners that may act for the issuer.", {
    callers: 'partner',
    input: cakKeyInput,
    output: cakKey,
    run: ({ cakKeys }, { caller, input: { userId, ...place } }) => cakKeys.find(caller, userId, place),
    rest: {
      method: 'GET',
      path: '/v1/holders/:userId/cak',
      summary: "A holder's CAK public key, for partners of the issuer",
      fails: { 404: 'There is no such key, or the partner may not act for the issuer.' },
    },
  }),
];
