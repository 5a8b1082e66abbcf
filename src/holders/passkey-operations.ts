// What holders do with passkeys, and operators for holders who have lost theirs (docs/sdk.md).
import { z } from 'zod';
import { operationsOf } from '../http/routes/operation.js';
import type { MfaResets } from './mfa-resets.js';
import {
  addPasskeyInput,
  addPasskeyPayload,
  passkey,
  passkeyOptionsPayload,
  removePasskeyInput,
  removePasskeyPayload,
  webauthnOptions,
} from './passkey-types.js';
import type { Passkeys } from './passkeys.js';
import { mfaReset, resetMfaInput, resetMfaPayload } from './types.js';

const { query, mutation } = operationsOf<{ passkeys: Passkeys; mfaResets: MfaResets }>();

const PATH = '/v1/holders/me/passkeys';

export const passkeyOperations = [
  mutation('passkeyOptions', 'Options for a new passkey, which can be used for five minutes. Holders.', {
    callers: 'holder',
    audit: 'holder',
    output: webauthnOptions,
    run: ({ passkeys }, { caller }) => passkeys.options(caller),
    rest: {
      method: 'POST',
      path: `${PATH}/options`,
      summary: 'Options for a new passkey (WebAuthn), which can be used for five minutes',
      fails: {
        404: 'The holder has just been erased.',
        409: 'The holder has ten passkeys, or this gateway has no host name.',
      },
    },
    graphql: { payload: passkeyOptionsPayload, show: (options) => ({ options }) },
  }),

  mutation('addPasskey', 'Adds a passkey. The first second factor also proves it. Holders.', {
    callers: 'holder',
    audit: 'holder',
    input: addPasskeyInput,
    output: passkey,
    run: ({ passkeys }, { caller, input }) => passkeys.add(caller, input),
    rest: {
      method: 'POST',
      path: PATH,
      summary: 'Add a passkey; the first second factor also proves it',
      status: 201,
      fails: {
        404: 'The holder has just been erased.',
        409: 'The holder has ten passkeys, or this one is registered, or this gateway has no host name.',
      },
    },
    graphql: { argument: 'The passkey.', payload: addPasskeyPayload, show: (added) => ({ passkey: added }) },
  }),

  query('passkeys', "The holder's passkeys, oldest first.", {
    callers: 'holder',
    output: z.array(passkey),
    run: ({ passkeys }, { caller }) => passkeys.list(caller),
    rest: { method: 'GET', path: PATH, summary: "The holder's passkeys, oldest first" },
  }),

  mutation('removePasskey', 'Removes a passkey, and its way into the key backup. Holders.', {
    callers: 'holder',
    audit: 'holder',
    input: removePasskeyInput,
    run: ({ passkeys }, { caller, input }) => passkeys.remove(caller, input.passkeyId),
    rest: {
      method: 'DELETE',
      path: `${PATH}/:id`,
      members: { id: 'passkeyId' },
      summary: 'Remove a passkey, and its way into the key backup',
      fails: { 404: 'The holder has no such passkey.', 409: 'It is the last way in.' },
    },
    graphql: { argument: 'Which one.', payload: removePasskeyPayload, show: () => ({ removed: true }) },
  }),

  mutation(
    'resetMfa',
    'Removes the passkeys and the key backup of a holder who has lost every way in. Operator only.',
    {
      callers: 'operator',
      audit: 'holder.reset-mfa',
      input: resetMfaInput,
      output: mfaReset,
      run: ({ mfaResets }, { caller, input }) => mfaResets.reset(caller, input),
      rest: {
        method: 'POST',
        path: '/v1/admin/holders/reset-mfa',
        summary: 'Remove the passkeys and the key backup of a holder who has lost every way in',
        fails: { 404: 'There is no such holder, or it was erased.' },
      },
      graphql: { argument: 'Which holder.', payload: resetMfaPayload, show: (reset) => ({ reset }) },
    },
  ),
];
