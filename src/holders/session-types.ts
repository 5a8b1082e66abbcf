// Sessions, as client SDKs see them: logins and the display settings.
import { z } from 'zod';
import { choice, record, time, withheld } from '../base/record.js';
import type { HolderRow } from './models.js';
import { coreIdDetails, isMFASetup } from './types.js';

export const coreInitializationResult = record('CoreInitializationResult', 'The result of initializing a client.', {
  rehydrated: z.boolean().describe('Whether an earlier session continues.'),
});

/** The client SDK's CoreLoginResult. In events it has no token. */
export const loginResult = record('CoreLoginResult', 'A holder who is logged in.', {
  isLoggedIn: z.boolean().describe('Always true.'),
  id: z.guid().describe('Id of the holder, a UUID.'),
  abstractAccountAddress: z.string().optional().describe('Address of the account, when one is registered.'),
  token: withheld(z.string()).describe('The session token; null in events.'),
  isMFASetup: z.boolean().describe('Whether the holder has a passkey.'),
}).meta({ id: 'LoginResult' });
export type LoginResult = z.output<typeof loginResult>;

export const currencyCode = choice('SupportedCurrencyCode', 'A currency, by ISO 4217.', {
  EUR: 'Euro.',
  USD: 'US dollar.',
  CNY: 'Renminbi.',
  KRW: 'Won.',
  TRY: 'Turkish lira.',
});

export const sessionConfig = record('CoreSessionConfig', 'The display settings of a session.', {
  locale: z.string().describe('Language tag, BCP 47.'),
  currency: currencyCode.describe('Currency for amounts.'),
});

export const updateSessionConfigPayload = record(
  'UpdateSessionConfigPayload',
  'The display settings of the session after the call.',
  { sessionConfig: sessionConfig.describe('All settings.') },
);

export const initializePayload = record('InitializePayload', 'The result of initializing a client.', {
  rehydrated: coreInitializationResult.shape.rehydrated,
  result: loginResult.nullable().describe('The continued session, with a new token.'),
});
export type Initialization = z.output<typeof initializePayload>;

export const loginBegun = record(
  'LoginPayload',
  'A login in progress: a code was mailed, or the account has to sign a message.',
  {
    loginId: z.guid().describe('The id to pass to verifyLogin.'),
    message: z.string().optional().describe('What the account has to sign (ERC-4361).'),
  },
);
export type LoginBegun = z.output<typeof loginBegun>;

export const verifyLoginPayload = record('VerifyLoginPayload', 'A completed login.', {
  result: loginResult.describe('The holder and its session token.'),
});

export const logoutPayload = record('LogoutPayload', 'A session that has ended.', {
  loggedOut: z.boolean().describe('True: all its tokens are now refused.'),
});

export const pageToken = z.object({
  token: z.string().describe('A page token, for `authorization: Bearer`.'),
  expiresAt: time.describe('When it expires.'),
});
export type PageToken = z.output<typeof pageToken>;

export const partnerLink = z.object({
  code: z.string().describe('The code: `#core_login=<code>` at the end of the address.'),
  partnerId: z.guid().describe('The partner whose page it is.'),
  name: z.string().describe('Its name.'),
});
export type PartnerLink = z.output<typeof partnerLink>;

export const recordCoreIdPayload = record('RecordCoreIdPayload', 'Response of recordCoreId.', {
  coreId: coreIdDetails.nullable().describe('The current core id.'),
});

/** The login result that a session's holder gets. */
export function loginResultOf(holder: HolderRow, token: string): LoginResult {
  const { _id: id, abstractAccountAddress } = holder;
  return {
    isLoggedIn: true,
    id,
    ...(abstractAccountAddress ? { abstractAccountAddress } : {}),
    token,
    isMFASetup: isMFASetup(holder),
  };
}
