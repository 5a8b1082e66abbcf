// Requests to the gateway, which is also the origin of this page. Every refusal is converted to an error of the client
// library.
import { CoreServiceError, type CoreServiceErrorName } from '../sdk/core/error.js';
import { claimsOf } from './claims.js';

const TIMEOUT_MS = 15_000;
/** How often a repeatable request is sent whose response is lost, and the pause before it is sent again, milliseconds. */
const SENDS = 3;
const PAUSE_MS = 500;

export interface GatewayCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  /** A session token. */
  session?: string;
  /** A partner token. */
  authToken?: string;
  /** Doing it twice has the effect of doing it once. So it is for requests with an idempotency key, and for GET. */
  isRepeatable?: boolean;
}

interface RefusalFacts {
  status: number;
  /** A second factor must be proven first. */
  needsProof?: boolean;
  /** The gateway says when to send the request again. */
  mayPass?: boolean;
}

/** A refusal by the gateway. */
export class Refusal extends CoreServiceError {
  readonly status: number;
  readonly needsProof: boolean;
  readonly mayPass: boolean;

  constructor(
    name: CoreServiceErrorName,
    message: string,
    { status, needsProof = false, mayPass = false }: RefusalFacts,
  ) {
    super(name, message);
    this.status = status;
    this.needsProof = needsProof;
    this.mayPass = mayPass;
  }
}

/** How the gateway is reached. */
export interface GatewayReach {
  /** What paths begin with. */
  baseUrl: string;
  fetch: typeof fetch;
  isOnline(): boolean;
}

/** Calls a route. @throws CoreServiceError; NOT_LOGGED_IN for a session that has ended. */
export type CallGateway = <T>(path: string, call?: GatewayCall) => Promise<T>;

/** Calls of a gateway. */
export function gatewayOver(reach: GatewayReach): CallGateway {
  const send = async <T>(path: string, call: GatewayCall): Promise<T> => {
    const { method = 'GET', body, headers, session, authToken } = call;
    if (!reach.isOnline()) throw offline();
    const response = await reach
      .fetch(`${reach.baseUrl}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
          ...(authToken === undefined ? {} : { 'x-partner-auth': authToken }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        credentials: 'omit',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      .catch(unreachable);
    if (response.status === 204) return undefined as T;
    const answer = (await response.json().catch(unreachable)) as T & { message?: string };
    if (response.ok) return answer;
    throw refusalOf(response, answer, call);
  };
  return async <T>(path: string, call: GatewayCall = {}): Promise<T> => {
    for (let sends = 1; ; sends += 1)
      try {
        return await send<T>(path, call);
      } catch (error) {
        if (sends === SENDS || !mayRepeat(call) || !isDisconnected(error) || !reach.isOnline()) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
  };
}

const mayRepeat = ({ method = 'GET', headers, isRepeatable = method === 'GET' }: GatewayCall): boolean =>
  isRepeatable || headers?.['idempotency-key'] !== undefined;

const isDisconnected = (error: unknown): boolean => error instanceof CoreServiceError && error.name === 'OFFLINE';

/** Whether a request may have been carried out, although it failed. */
export const isLost = (error: unknown): boolean =>
  error instanceof CoreServiceError && ['OFFLINE', 'TIMEOUT', 'INTERNAL_SERVER_ERROR'].includes(error.name);

/** Calls the gateway from whose origin this page is. */
export const callGateway = gatewayOver({
  baseUrl: '',
  fetch: (...request) => fetch(...request),
  isOnline: () => navigator.onLine,
});

const offline = (cause?: unknown): CoreServiceError =>
  new CoreServiceError('OFFLINE', 'The gateway cannot be reached; check the connection.', { cause });

function unreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    throw new CoreServiceError('TIMEOUT', 'The gateway took too long; try again.');
  if (cause instanceof SyntaxError)
    throw new CoreServiceError('INTERNAL_SERVER_ERROR', 'The gateway cannot be used right now; try again later.');
  throw offline(cause);
}

const BY_STATUS: Readonly<Record<number, CoreServiceErrorName>> = {
  400: 'INVALID_PARAMETER',
  404: 'INVALID_PARAMETER',
  409: 'CLIENT_ERROR',
  410: 'CLIENT_ERROR',
  429: 'RATE_LIMITED',
};

function refusalOf(
  { status, headers }: Response,
  { message = 'The gateway refused this.' }: { message?: string },
  { authToken, session }: GatewayCall,
): CoreServiceError {
  const challenge = headers.get('www-authenticate') ?? '';
  const facts = { status, mayPass: headers.has('retry-after') };
  const refusal = (name: CoreServiceErrorName): Refusal => new Refusal(name, message, facts);
  if (challenge.includes('insufficient_user_authentication'))
    return new Refusal('CLIENT_ERROR', message, { status, needsProof: true });
  if (status === 401 || challenge.includes('realm="session"'))
    return session === undefined ? refusal('CLIENT_ERROR') : ended();
  if (status === 403) return refusal(forbidden(challenge, authToken, headers.get('date')));
  return refusal(BY_STATUS[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'CLIENT_ERROR'));
}

export const ended = (): CoreServiceError => new CoreServiceError('NOT_LOGGED_IN', 'Nobody is logged in; call login.');

/** Compared with the gateway's clock, because the browser's may be wrong. */
function forbidden(challenge: string, authToken: string | undefined, date: string | null): CoreServiceErrorName {
  if (!challenge.includes('error="invalid_token"')) return 'PERMISSION_NOT_ENABLED';
  const { exp } = claimsOf(authToken);
  const now = date === null ? Date.now() : Date.parse(date);
  return typeof exp === 'number' && exp * 1_000 <= now ? 'PARTNER_TOKEN_EXPIRED' : 'PARTNER_ACCESS_TOKEN_INVALID';
}
