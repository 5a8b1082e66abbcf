// Sessions in GraphQL, for client SDKs: the same functions as REST.

import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { requireHolder, requireOperator } from '../base/callers/rights.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AccountLogins } from './account-login.js';
import { type CoreIds, coreIdBody } from './core-ids.service.js';
import type { Holders } from './holders.service.js';
import type { Logins } from './login.js';
import { beginLogin, endLogin, loginBody, verifyBody } from './login-request.js';
import {
  InitializeInput,
  InitializePayload,
  LoginInput,
  LoginPayload,
  LogoutPayload,
  RecordCoreIdInput,
  RecordCoreIdPayload,
  SessionConfigInput,
  UpdateSessionConfigPayload,
  VerifyLoginInput,
  VerifyLoginPayload,
} from './session-types.js';
import type { Sessions } from './sessions.js';

interface SessionContext {
  caller: Caller;
  /** The client's IP address, if it is known. */
  address?: string;
  services: {
    logins: Logins;
    accountLogins: AccountLogins;
    sessions: Sessions;
    coreIds: CoreIds;
    partners: PartnerDirectory;
    holders: Holders;
  };
}

/** The subject of limits for clients without a known address, which share them. */
const UNKNOWN = 'unknown';

const configBody = z.object({
  locale: z.string().refine(isLocale, 'must be a language tag, such as "en-GB"').optional(),
  currency: z.enum(['EUR', 'USD', 'CNY', 'KRW', 'TRY']).optional(),
});

function isLocale(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false; // Not a language tag.
  }
}

/** The members of an input that are set. */
function givenOf(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));
}

@Resolver()
export class SessionsResolver {
  @Mutation(() => InitializePayload, {
    description:
      'Initializes a client: resumes the session whose token it stored, with a new token, if it is still valid.',
  })
  initialize(
    @Arg('input', () => InitializeInput) { token, skipRehydration }: InitializeInput,
    @Ctx() { services, caller }: SessionContext,
  ) {
    return services.logins.initialize(caller, {
      ...(token ? { token } : {}),
      ...(skipRehydration ? { skipRehydration } : {}),
    });
  }

  @Mutation(() => LoginPayload, {
    description:
      'Mails a login code: with a partner token whose claims hold the e-mail, or with e-mail and partnerId. For an account, returns the message to sign. The response does not reveal whether the address is known.',
  })
  async login(
    @Arg('input', () => LoginInput) input: LoginInput,
    @Ctx() { services, caller, address = UNKNOWN }: SessionContext,
  ) {
    const body = parseInput(loginBody, givenOf(input));
    return beginLogin(services, caller, body, address);
  }

  @Mutation(() => VerifyLoginPayload, {
    description: "Logs in with the mailed code, or with the account's signature.",
  })
  async verifyLogin(
    @Arg('input', () => VerifyLoginInput) input: VerifyLoginInput,
    @Ctx() { services, address = UNKNOWN }: SessionContext,
  ) {
    return { result: await endLogin(services, parseInput(verifyBody, givenOf(input)), address) };
  }

  @Mutation(() => LogoutPayload, { description: 'Ends the session. All its tokens are then refused.' })
  async logout(@Ctx() { services, caller }: SessionContext) {
    await services.logins.logout(requireHolder(caller));
    return { loggedOut: true };
  }

  @Mutation(() => UpdateSessionConfigPayload, { description: 'Changes the display settings of the session.' })
  async updateSessionConfig(
    @Arg('input', () => SessionConfigInput) input: SessionConfigInput,
    @Ctx() { services, caller }: SessionContext,
  ) {
    const holder = requireHolder(caller);
    return { sessionConfig: await services.sessions.configure(holder, parseInput(configBody, givenOf(input))) };
  }

  @Mutation(() => RecordCoreIdPayload, {
    description: "Records whether a holder's core id was minted, and sends the holder an event. Operator only.",
  })
  async recordCoreId(
    @Arg('input', () => RecordCoreIdInput) { coreId, ...input }: RecordCoreIdInput,
    @Ctx() { services, caller }: SessionContext,
  ) {
    requireOperator(caller, 'all');
    const body = { ...givenOf(input), ...(coreId ? { coreId: givenOf(coreId) } : {}) };
    return { coreId: await services.coreIds.record(caller, parseInput(coreIdBody, body)) };
  }
}
