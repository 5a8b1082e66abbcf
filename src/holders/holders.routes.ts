// /v1/auth and /v1/holders: recipients for partners, login and keys for holders, the sandbox's mailbox (contract §4.1, §4.5).
import { z } from 'zod';
import { ANONYMOUS, type Caller, type HolderCaller } from '../base/callers/caller.js';
import { requireHolder } from '../base/callers/rights.js';
import { badInput, DomainError } from '../base/errors.js';
import { CREDENTIALS } from '../http/cache/cached-response.js';
import { type AnyRoute, type RouteInput, route } from '../http/routes/route.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { PartnerTokens } from '../partners/token.service.js';
import type { AccountLogins } from './account-login.js';
import type { HolderKeys } from './holder-keys.js';
import type { Holders } from './holders.service.js';
import {
  consentBody,
  deviceBody,
  initializeUserV2Body,
  type LoginInput,
  loginInput,
  mailboxQuery,
  partnerParams,
} from './inputs.js';
import { keyHandOver } from './key-types.js';
import type { Logins } from './login.js';
import { beginLogin, requireLivePartner } from './login-request.js';
import type { LoginMail } from './mail.service.js';
import type { Recipients } from './recipients.js';
import type { SecondFactor } from './second-factor.service.js';
import { loginBegun, loginResult, pageToken } from './session-types.js';
import { bearerToken, type Sessions } from './sessions.js';
import { consentRecord, ERASED, mailbox, recipient } from './types.js';

const optionalLogin = z.preprocess((body) => body ?? {}, loginInput);

type NoParams = unknown;

export interface HolderRouteServices {
  partners: PartnerDirectory;
  partnerTokens: PartnerTokens;
  holders: Holders;
  holderKeys: HolderKeys;
  recipients: Recipients;
  sessions: Sessions;
  logins: Logins;
  accountLogins: AccountLogins;
  loginMail: LoginMail;
  secondFactor: SecondFactor;
}

/** All routes of holders. */
export function holdersRoutes(services: HolderRouteServices): AnyRoute[] {
  return [...recipientRoutes(services), ...loginRoutes(services), ...ownRoutes(services), mailboxRoute(services)];
}

function recipientRoutes({ recipients }: HolderRouteServices): AnyRoute[] {
  return [
    route<NoParams, unknown, z.output<typeof initializeUserV2Body>>({
      method: 'POST',
      path: '/v2/auth/initialize-user',
      summary: 'The older form: the partner token is in the body, and its claims hold the e-mail',
      auth: 'public',
      body: initializeUserV2Body,
      headers: ['x-partner-id'],
      answers: { 200: recipient },
      async handle({ headers, body, address, requestId }) {
        const partnerId = headers['x-partner-id'];
        if (!partnerId) throw badInput('The header x-partner-id is missing or empty.', 'x-partner-id');
        return { body: await recipients.initializeUserV2(partnerId, body.partnerJwt, { address, requestId }) };
      },
    }),
  ];
}

function loginRoutes(services: HolderRouteServices): AnyRoute[] {
  return [
    route<NoParams, unknown, LoginInput>({
      method: 'POST',
      path: '/v1/auth/login',
      summary:
        'Mail a login code, to the e-mail of a partner token or with e-mail and partnerId; or return the message that an account signs',
      auth: 'public',
      readsCredentials: ['anyone', 'partner', 'holder'],
      body: optionalLogin as z.ZodType<LoginInput>,
      answers: { 202: loginBegun },
      fails: { 404: 'There is no such partner, or the holder of the session was erased.' },
      async handle({ headers, body, address }) {
        const caller = await loginCaller(services, headers);
        return { status: 202, body: await beginLogin(services, caller, body, address) };
      },
    }),
    ...sessionRoutes(services),
  ];
}

function sessionRoutes(services: HolderRouteServices): AnyRoute[] {
  const { logins, holders, sessions } = services;
  return [
    route({
      method: 'POST',
      path: '/v1/auth/rehydrate',
      summary: 'A new token for a session that is still valid; otherwise 401',
      auth: 'public',
      readsCredentials: ['holder'],
      answers: { 200: loginResult },
      fails: { 401: 'There is no session to continue.', 404: ERASED },
      async handle({ headers }) {
        const hasOthers = CREDENTIALS.some((name) => headers[name] !== undefined);
        if (headers.authorization === undefined && hasOthers)
          throw new DomainError('FORBIDDEN', 'This route is only for holders.');
        return { body: await logins.rehydrate(await sessionOr401(services, headers)) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/auth/token',
      summary:
        'A token that shows the holder to a page of the partner; it opens GET /v1/holders/me and the query me alone',
      auth: 'holder',
      answers: { 200: pageToken },
      fails: { 404: ERASED },
      async handle({ caller }) {
        const holder = requireHolder(caller);
        const { abstractAccountAddress } = await holders.own(holder);
        return { body: await sessions.pageToken(holder, abstractAccountAddress) };
      },
    }),
  ];
}

/** The caller: a partner, whose token must be valid; a holder, if its session still is; otherwise anonymous. */
async function loginCaller(
  services: HolderRouteServices,
  headers: RouteInput<unknown, unknown, unknown>['headers'],
): Promise<Caller> {
  const token = headers['x-partner-auth'];
  if (token !== undefined) return services.partnerTokens.verify(token);
  return sessionOr401(services, headers).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') return ANONYMOUS;
    throw error;
  });
}

async function sessionOr401(
  { sessions }: HolderRouteServices,
  headers: RouteInput<unknown, unknown, unknown>['headers'],
): Promise<HolderCaller> {
  const { authorization } = headers;
  const missing = new DomainError('UNAUTHENTICATED', 'There is no session to continue; log in again.');
  if (authorization === undefined) throw missing;
  try {
    return await sessions.verify(bearerToken(authorization));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'FORBIDDEN') throw error;
    throw new DomainError('UNAUTHENTICATED', missing.message, error.data);
  }
}

function ownRoutes(services: HolderRouteServices): AnyRoute[] {
  const { holders, partners, secondFactor } = services;
  return [
    ...keyRoutes(services),
    route<z.output<typeof partnerParams>, unknown, z.output<typeof consentBody>>({
      method: 'PUT',
      path: '/v1/holders/me/partners/:partnerId',
      summary: 'Accept or decline a partner; a declined partner cannot issue to the holder',
      auth: 'holder',
      params: partnerParams,
      body: consentBody,
      answers: { 200: consentRecord },
      fails: { 404: 'There is no such partner.' },
      async handle({ caller, params: { partnerId }, body: { consent } }) {
        await secondFactor.requireOwnLogin(requireHolder(caller), 'setConsent');
        await requireLivePartner(partners, partnerId);
        await holders.setConsent(requireHolder(caller), partnerId, consent);
        return { body: { partnerId, consent } };
      },
    }),
  ];
}

/** The holder's keys. */
function keyRoutes({ holderKeys }: HolderRouteServices): AnyRoute[] {
  return [
    route<NoParams, unknown, z.output<typeof deviceBody>>({
      method: 'POST',
      path: '/v1/holders/me/key',
      summary: "Hand the private key over to one device of the holder; the gateway's copy is destroyed",
      auth: 'holder',
      body: deviceBody,
      answers: { 200: keyHandOver },
      fails: { 404: ERASED, 410: 'It was already handed over, to another device or more than 30 days ago.' },
      handle: async ({ caller, body }) => ({
        body: await holderKeys.handOver(requireHolder(caller), body.devicePublicKey),
      }),
    }),
    route<NoParams, unknown, z.output<typeof deviceBody>>({
      method: 'POST',
      path: '/v1/holders/me/key/rotate',
      summary: 'Register a new public key for later credentials; older ciphertext stays unreadable without the old key',
      auth: 'holder',
      body: deviceBody,
      answers: { 200: keyHandOver },
      fails: { 404: ERASED },
      handle: async ({ caller, body }) => ({
        body: await holderKeys.rotate(requireHolder(caller), body.devicePublicKey),
      }),
    }),
  ];
}

function mailboxRoute({ loginMail }: HolderRouteServices): AnyRoute {
  return route<unknown, z.output<typeof mailboxQuery>, unknown>({
    method: 'GET',
    path: '/v1/sandbox/mailbox',
    summary: 'Recent mails to an address, oldest first; in the sandbox only',
    auth: 'operator',
    // The role that it requires, because login codes open sessions of holders.
    role: 'all',
    query: mailboxQuery,
    answers: { 200: mailbox },
    fails: { 404: 'This is not a sandbox.' },
    handle: async ({ query: { email } }) => ({ body: { messages: await loginMail.mailbox(email) } }),
  });
}
