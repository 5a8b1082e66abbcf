// The login by mailed code: screens for an address and a code, which also show the fault of the last input.
import { CoreServiceError } from '../sdk/core/error.js';
import type { Present } from '../sdk/core/screens.js';
import { emailOf } from './claims.js';
import { type CallGateway, callGateway, Refusal } from './gateway.js';
import type { Session, SessionResult } from './session.js';
import { passingFault, type Texts } from './texts.js';

/** How long until the user may request another code, milliseconds. */
const AGAIN_MS = 30_000;

export interface LoginFlow {
  present: Present;
  partner: { partnerId: string; name: string };
  authToken: string | undefined;
  /** The address, if no other will do. */
  email?: string | undefined;
  /** Default: from the frame. */
  call?: CallGateway;
  texts: Texts;
}

/** Errors of the application, which the user cannot correct. */
const NOT_THE_USERS: ReadonlySet<string> = new Set([
  'PARTNER_TOKEN_EXPIRED',
  'PARTNER_ACCESS_TOKEN_INVALID',
  'PERMISSION_NOT_ENABLED',
  'USER_CANCELLED',
]);

/** Logs a user in. @throws CoreServiceError USER_CANCELLED, and errors of the partner token. */
export async function logInByCode(flow: LoginFlow): Promise<{ result: SessionResult; email: string }> {
  const fixed = flow.email ?? emailOf(flow.authToken);
  let email = fixed ?? '';
  let fault: string | undefined;
  for (;;) {
    const { name: partnerName } = flow.partner;
    ({ email } = await flow.present<'email'>({
      kind: 'email',
      partnerName,
      email,
      isFixed: fixed !== undefined,
      fault,
    }));
    const begun = await attempt(flow.texts, 'email', () => begin(flow, email));
    fault = begun.fault;
    if (begun.value === undefined) continue;
    const result = await enterCode(flow, { email, loginId: begun.value, canGoBack: fixed === undefined });
    if (result !== undefined) return { result, email };
  }
}

/** Logs the same user in again, in a session of its own. @throws CoreServiceError USER_CANCELLED, USER_MISMATCH. */
export async function logInAgain({
  session,
  ...flow
}: Pick<LoginFlow, 'present' | 'partner' | 'texts'> & { session: Session }): Promise<void> {
  const { id } = session.requireLogin();
  const { email, gateway: call } = session;
  const { result, email: proved } = await logInByCode({ ...flow, authToken: undefined, email, call });
  if (result.id === id) return void (await session.begin(result, proved, () => {}));
  session.abandon(result.token);
  throw new CoreServiceError('USER_MISMATCH', 'The code was for somebody else.');
}

async function begin(
  { partner: { partnerId }, authToken, call = callGateway }: LoginFlow,
  email: string,
): Promise<string> {
  const isNamed = emailOf(authToken) !== undefined;
  const body = isNamed ? { partnerId } : { email, partnerId };
  return (await call<{ loginId: string }>('/v1/auth/login', { method: 'POST', body, authToken })).loginId;
}

/** @returns undefined if the user wants to use another address. */
async function enterCode(
  flow: LoginFlow,
  { email, loginId: first, canGoBack }: { email: string; loginId: string; canGoBack: boolean },
): Promise<SessionResult | undefined> {
  let loginId = first;
  // The person enters the code again after a response that was lost.
  const repeatKey = crypto.randomUUID();
  let againAt = Date.now() + AGAIN_MS;
  let fault: string | undefined;
  for (;;) {
    const answer = await flow.present<'code'>({ kind: 'code', email, againAt, canGoBack, fault });
    if ('back' in answer) return undefined;
    if ('again' in answer) {
      const begun = await attempt(flow.texts, 'email', () => begin(flow, email));
      fault = begun.fault;
      if (begun.value === undefined) continue;
      loginId = begun.value;
      againAt = Date.now() + AGAIN_MS;
      continue;
    }
    const body = { loginId, code: answer.code, repeatKey };
    const { call = callGateway } = flow;
    const verify = () => call<SessionResult>('/v1/auth/verify', { method: 'POST', body });
    const verified = await attempt(flow.texts, 'code', verify);
    if (verified.value !== undefined) return verified.value;
    fault = verified.fault;
  }
}

/**
 * The result of an attempt, or one sentence about what the user can do.
 * @param input what the user has entered: a refusal with status 400 is about that
 */
async function attempt<T>(
  { faults, ...texts }: Texts,
  input: 'email' | 'code',
  run: () => Promise<T>,
): Promise<{ value?: T; fault?: string }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (!(error instanceof CoreServiceError) || NOT_THE_USERS.has(error.name)) throw error;
    // A conflict has only these causes: the login has expired, was used, or was tried too often.
    if (error.name === 'CLIENT_ERROR') return { fault: faults.late };
    if (error instanceof Refusal && error.status === 400) return { fault: faults[input] };
    return { fault: passingFault({ faults, ...texts }, error) ?? faults.other };
  }
}
