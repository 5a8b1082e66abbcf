// The parameters of authorization requests (RFC 6749 §4.1.1, RFC 7636, RFC 9126; OpenID4VCI 1.0 §5.1). Unknown ones are ignored.
import { z } from 'zod';
import { parsedUrl } from '../../common/parsed-url.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';

/** The wallet's side of a request: where its response goes. */
export interface WalletClient {
  clientId: string;
  redirectUri: string;
  state?: string;
}

export interface AuthorizationParameters extends WalletClient {
  codeChallenge: string;
  /** The credential that the request names by `authorization_details` or `scope`; undefined: none. */
  credentialId?: string;
  scope?: string;
  /** The state of an offer. */
  issuerState?: string;
  dpopJkt?: string;
}

type Members = Readonly<Record<string, unknown>>;

const MAX_URL = 2_048;
const MAX_DETAILS = 16_384;
const PRINTABLE = /^[\x21-\x7e]+$/;
/** A scope (RFC 6749 §3.3). */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** A private-use scheme is a domain name of its app, in reverse order (RFC 8252 §7.1). */
const PRIVATE_USE = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/;
/** Hosts of apps on the user's own machine (RFC 8252 §7.3). */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Members of the response (RFC 6749 §4.1.2, RFC 9207): an address with one of its own would have two. */
const OF_RESPONSE = ['code', 'state', 'iss', 'error', 'error_description'] as const;

const invalid = (why: string): ProtocolError => new ProtocolError('invalid_request', why);

/** Whether a browser may be sent to an address: https, http to its own machine, or an app (RFC 8252 §7). @param schemes of apps, without a dot, that the operator allows */
function isRedirectUri(text: string, schemes: readonly string[]): boolean {
  if (text.length > MAX_URL || !PRINTABLE.test(text) || text.includes('#')) return false;
  const url = parsedUrl(text);
  if (!url) return false;
  const { protocol, hostname, username, password, searchParams } = url;
  if (username !== '' || password !== '' || OF_RESPONSE.some((name) => searchParams.has(name))) return false;
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return protocol === 'https:' || PRIVATE_USE.test(protocol) || schemes.includes(protocol.slice(0, -1));
}

const required = (name: string) => z.string(`"${name}" must be there once.`).max(MAX_URL, `"${name}" is too long.`);
const optional = (name: string) => z.string(`"${name}" comes twice.`).max(MAX_URL, `"${name}" is too long.`).optional();
const HASH = /^[\w-]{43}$/;

const client = z.object({
  client_id: required('client_id').min(1, '"client_id" is empty.'),
  redirect_uri: required('redirect_uri'),
  state: optional('state'),
});

/** Where the response of a request goes. @throws ProtocolError invalid_request: nothing may be sent there. */
export function clientOf(members: Members, schemes: readonly string[]): WalletClient {
  const { client_id: clientId, redirect_uri: redirectUri, state } = checked(client, members);
  if (!isRedirectUri(redirectUri, schemes))
    throw invalid(
      '"redirect_uri" must be an https address, or one of an app, such as com.example.wallet:/cb, without a fragment, "code" or "state".',
    );
  return { clientId, redirectUri, ...(state === undefined ? {} : { state }) };
}

const request = z.object({
  code_challenge: required('code_challenge').regex(HASH, '"code_challenge" must be a SHA-256, base64url.'),
  code_challenge_method: z.literal('S256', '"code_challenge_method" must be S256.'),
  response_mode: z.literal('query', '"response_mode" must be query.').optional(),
  scope: optional('scope'),
  issuer_state: optional('issuer_state'),
  dpop_jkt: z.string('"dpop_jkt" comes twice.').regex(HASH, '"dpop_jkt" must be a thumbprint.').optional(),
});

/** All parameters. @throws ProtocolError as RFC 6749 §4.1.2.1 and RFC 9396 §5. */
export function parametersOf(members: Members, schemes: readonly string[]): AuthorizationParameters {
  const wallet = clientOf(members, schemes);
  if (members.request !== undefined) throw new ProtocolError('request_not_supported', 'Send parameters, no JWT.');
  if (typeof members.response_type !== 'string') throw invalid('"response_type" is missing.');
  if (members.response_type !== 'code')
    throw new ProtocolError('unsupported_response_type', '"response_type" must be code.');
  const {
    code_challenge: codeChallenge,
    scope,
    issuer_state: issuerState,
    dpop_jkt: dpopJkt,
  } = checked(request, members);
  const credentialId = detailOf(members.authorization_details) ?? credentialOfScope(scope);
  return {
    ...wallet,
    codeChallenge,
    ...(credentialId === undefined ? {} : { credentialId }),
    ...(scope === undefined ? {} : { scope }),
    ...(issuerState === undefined ? {} : { issuerState }),
    ...(dpopJkt === undefined ? {} : { dpopJkt }),
  };
}

const details = z
  .array(z.object({ type: z.literal('openid_credential'), credential_configuration_id: z.string().min(1) }))
  .min(1);

/**
 * The credential of `authorization_details` (JSON; OpenID4VCI 1.0 §5.1.1). Undefined: there is no such parameter.
 * @throws ProtocolError invalid_authorization_details, also for several credentials.
 */
export function detailOf(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  const parsed = details.safeParse(jsonOf(text));
  const ids = new Set(parsed.data?.map(({ credential_configuration_id: id }) => id));
  const [id] = ids;
  if (id !== undefined && ids.size === 1) return id;
  throw new ProtocolError(
    'invalid_authorization_details',
    '"authorization_details" must be a JSON array for one credential: type openid_credential, credential_configuration_id.',
  );
}

function jsonOf(text: unknown): unknown {
  try {
    return typeof text === 'string' && text.length <= MAX_DETAILS ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The scope of a credential is its id. Scopes of other protocols, such as `openid`, are left to the caller to ignore. */
function credentialOfScope(scope: string | undefined): string | undefined {
  const ids = new Set(scope?.split(' ').filter((one) => one !== '' && !OTHER_SCOPES.has(one)));
  if (ids.size > 1) throw new ProtocolError('invalid_scope', '"scope" must be for one credential.');
  const [id] = ids;
  return id;
}

const OTHER_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** @throws ProtocolError invalid_request with the first fault. */
function checked<T>(schema: z.ZodType<T>, members: Members): T {
  const parsed = schema.safeParse(members);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]?.message ?? 'The request is invalid.');
}
