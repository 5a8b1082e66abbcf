// Sessions, for client SDKs: logins and their end, display settings, and core ids without a chain (contract §4.5, §21).
import { operationsOf } from '../http/routes/operation.js';
import type { CoreIds } from './core-ids.service.js';
import { initializeInput, loginInput, recordCoreIdInput, sessionConfigInput, verifyLoginInput } from './inputs.js';
import { beginLogin, endLogin, type LoginServices } from './login-request.js';
import {
  initializePayload,
  loginBegun,
  loginResult,
  logoutPayload,
  recordCoreIdPayload,
  updateSessionConfigPayload,
  verifyLoginPayload,
} from './session-types.js';
import type { Sessions } from './sessions.js';

export interface SessionServices extends LoginServices {
  sessions: Sessions;
  coreIds: CoreIds;
}

/** The subject of limits for clients without a known address, which share them. */
const UNKNOWN = 'unknown';

const { mutation } = operationsOf<SessionServices>();

const loginOperations = [
  // REST renews a session by POST /v1/auth/rehydrate, which requires one.
  mutation(
    'initialize',
    'Initializes a client: resumes the session whose token it stored, with a new token, if it is still valid.',
    {
      callers: 'public',
      audit: 'holder',
      input: initializeInput,
      output: initializePayload,
      run: ({ logins }, { caller, input }) => logins.initialize(caller, input),
    },
  ),

  // The route treats a session that has ended like no session.
  mutation(
    'login',
    'Mails a login code: with a partner token whose claims hold the e-mail, or with e-mail and partnerId. For an account, returns the message to sign. The response does not reveal whether the address is known.',
    {
      callers: 'public',
      audit: 'holder',
      input: loginInput,
      output: loginBegun,
      run: (services, { caller, input, address = UNKNOWN }) => beginLogin(services, caller, input, address),
    },
  ),

  mutation('verifyLogin', "Logs in with the mailed code, or with the account's signature.", {
    callers: 'public',
    audit: 'holder',
    input: verifyLoginInput,
    output: loginResult,
    run: (services, { input, address = UNKNOWN }) => endLogin(services, input, address),
    rest: {
      method: 'POST',
      path: '/v1/auth/verify',
      summary: "Log in with the mailed code, or with the account's signature",
      fails: { 404: 'There is no such login.', 410: 'The login has expired, was used, or was tried too often.' },
    },
    graphql: { payload: verifyLoginPayload, show: (result) => ({ result }) },
  }),

  mutation('logout', 'Ends the session. All its tokens are then refused.', {
    callers: 'holder',
    audit: 'holder',
    run: ({ logins }, { caller }) => logins.logout(caller),
    rest: {
      method: 'POST',
      path: '/v1/auth/logout',
      summary: 'End the session: all its tokens are refused from then on',
    },
    graphql: { payload: logoutPayload, show: () => ({ loggedOut: true }) },
  }),
];

export const sessionOperations = [
  ...loginOperations,

  mutation('updateSessionConfig', 'Changes the display settings of the session.', {
    callers: 'holder',
    audit: 'holder',
    input: sessionConfigInput,
    output: updateSessionConfigPayload,
    run: async ({ sessions }, { caller, input }) => ({ sessionConfig: await sessions.configure(caller, input) }),
  }),

  mutation(
    'recordCoreId',
    "Records whether a holder's core id was minted, and sends the holder an event. Operator only.",
    {
      callers: 'operator',
      audit: 'core-id.record',
      input: recordCoreIdInput,
      output: recordCoreIdPayload,
      run: async ({ coreIds }, { caller, input }) => ({ coreId: await coreIds.record(caller, input) }),
    },
  ),
];
