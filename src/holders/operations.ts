// Recipients for partners, and a holder's own data and signing key: the fields of GraphQL and the routes (contract §4.1, §4.5).
import { requireHolderOrPage } from '../base/callers/rights.js';
import { operationsOf } from '../http/routes/operation.js';
import type { HolderKeys } from './holder-keys.js';
import type { Holders } from './holders.service.js';
import { initializeUserInput, setSigningKeyInput } from './inputs.js';
import type { Recipients } from './recipients.js';
import { ERASED, holderDetails, initializeUserPayload, recipient, setSigningKeyPayload } from './types.js';

const { query, mutation } = operationsOf<{ holders: Holders; holderKeys: HolderKeys; recipients: Recipients }>();

export const holderOperations = [
  query('me', 'The data of the holder who is logged in. Needs a session token or a page token.', {
    callers: ['holder', 'page'],
    output: holderDetails,
    run: ({ holders }, { caller }) => holders.details(requireHolderOrPage(caller)),
    rest: { method: 'GET', path: '/v1/holders/me', summary: 'Who the holder is', fails: { 404: ERASED } },
  }),

  mutation(
    'initializeUser',
    'Resolves the recipient of a credential. An unknown e-mail address gets a DID and a key. Needs the scope "issue".',
    {
      callers: 'partner',
      audit: ['holder.create', 'holder.name'],
      input: initializeUserInput,
      output: recipient,
      run: ({ recipients }, { caller, input, address }) => recipients.initializeUser(caller, { ...input, address }),
      rest: {
        method: 'POST',
        path: '/v1/auth/initialize-user',
        summary: 'Resolve the recipient of a credential; an unknown e-mail gets a DID and a key',
      },
      graphql: { payload: initializeUserPayload, show: (resolved) => ({ recipient: resolved }) },
    },
  ),

  mutation('setSigningKey', "Registers the holder's public signing key, to which issuers bind credentials.", {
    callers: 'holder',
    audit: 'holder',
    input: setSigningKeyInput,
    output: setSigningKeyPayload,
    run: async ({ holderKeys }, { caller, input: { jwk } }) => ({ jwk: await holderKeys.setSigningKey(caller, jwk) }),
    rest: {
      method: 'PUT',
      path: '/v1/holders/me/signing-key',
      summary: "Register the holder's public signing key (P-256), for credentials that are bound to their holder",
      fails: { 404: ERASED },
    },
  }),
];
