// Checks what the page sends. A malformed message ends the connection; an invalid value in a message returns an error.
import * as z from 'zod/mini';
import { CoreServiceError } from '../sdk/core/error.js';

/** Longest message, characters of its texts and names. */
const MAX_MESSAGE = 262_144;
const MAX_DEPTH = 32;

const record = z.record(z.string(), z.unknown());

/** The number of a call that the page may abort. */
const number = z.int().check(z.minimum(1));
const abortable = z.optional(number);

/** The methods of the frame, with the schemas of their parameters. */
const PARAMETERS = {
  init: z.tuple([record]),
  login: z.tuple([record, abortable]),
  logout: z.tuple([]),
  getUserInfo: z.tuple([]),
  getAccessToken: z.tuple([]),
  isSmartAccountDeployed: z.tuple([]),
  updateSessionConfig: z.tuple([record]),
  preload: z.tuple([z.enum(['wallet', 'credential'])]),
  deploySmartAccount: z.tuple([abortable]),
  setupOrUpdateMfa: z.tuple([abortable]),
  claimCoreId: z.tuple([record, abortable]),
  issueCredential: z.tuple([record, abortable]),
  verifyCredential: z.tuple([record, abortable]),
  showSwapUI: z.tuple([record, abortable]),
  showOnRampUI: z.tuple([record, abortable]),
  goToPartner: z.tuple([z.unknown(), abortable]),
  request: z.tuple([z.strictObject({ method: z.string(), params: z.optional(z.unknown()) })]),
  abort: z.tuple([number]),
  received: z.tuple([z.string().check(z.maxLength(100))]),
  dismiss: z.tuple([]),
} as const;

const call = z.object({ id: z.string().check(z.maxLength(100)), methodPath: z.tuple([z.string()]), args: z.unknown() });
const reply = z.object({ callId: z.string().check(z.maxLength(100)) });

/** Whether a message over the connection is well-formed. Other types of messages belong to the handshake. */
export function isMessage(data: { type?: unknown }): boolean {
  if (!isSmall(data)) return false;
  if (data.type === 'REPLY') return reply.safeParse(data).success;
  if (data.type !== 'CALL') return true;
  const parsed = call.safeParse(data);
  if (!parsed.success) return false;
  const [method] = parsed.data.methodPath;
  return (
    Object.hasOwn(PARAMETERS, method) &&
    PARAMETERS[method as keyof typeof PARAMETERS].safeParse(parsed.data.args).success
  );
}

/** Whether data consists of plain values, and is neither too deep nor too large. */
function isSmall(data: unknown): boolean {
  let left = MAX_MESSAGE;
  const visit = (value: unknown, depth: number): boolean => {
    left -= typeof value === 'string' ? value.length : 8;
    if (left < 0 || depth > MAX_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
    if (Array.isArray(value)) return value.every((item) => visit(item, depth + 1));
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    return Object.entries(value).every(([name, item]) => {
      left -= name.length;
      return visit(item, depth + 1);
    });
  };
  return visit(data, 0);
}

const locale = z.string().check(z.maxLength(35), z.refine(isLocale));
export const SESSION_CONFIG = z.strictObject({
  locale: z.optional(locale),
  currency: z.optional(z.enum(['EUR', 'USD', 'CNY', 'KRW', 'TRY'])),
});
export const INIT = z.strictObject({
  buildEnv: z.optional(z.string()),
  credentialNetwork: z.optional(z.string()),
  skipRehydration: z.optional(z.boolean()),
  preloadWallet: z.optional(z.boolean()),
  preloadCredential: z.optional(z.boolean()),
  sessionConfig: z.optional(SESSION_CONFIG),
  linkCode: z.optional(z.string()),
});
const token = z.string().check(z.minLength(1), z.maxLength(8_192));
export const LOGIN = z.strictObject({ authToken: z.optional(token) });
const id = z.string().check(z.minLength(1), z.maxLength(500));
export const ISSUE = z.strictObject({
  authToken: token,
  issuerDid: id,
  credentialId: id,
  credentialSubject: record,
  curve: z.optional(z.enum(['secp256r1', 'secp256k1'])),
});
export const VERIFY = z.strictObject({
  authToken: token,
  programId: id,
  redirectUrl: z.optional(z.string().check(z.maxLength(2_048))),
});
const tokenName = z.string().check(z.minLength(1), z.maxLength(100));
export const SWAP = z.strictObject({
  initialFromToken: z.optional(tokenName),
  fallbackFromToken: z.optional(tokenName),
  initialToToken: z.optional(tokenName),
});
export const ON_RAMP = z.strictObject({ displayCurrencyCode: tokenName, targetCurrencyCode: z.optional(tokenName) });
export const CLAIM = z.strictObject({ token: z.optional(token), background: z.optional(z.boolean()) });

export const PARTNER_URL = z.object({ partnerUrl: z.url().check(z.maxLength(2_048)) });

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** A value that satisfies a schema. @throws CoreServiceError INVALID_PARAMETER, which names the field. */
export function checked<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const field = [...(issue?.path ?? []), ...keys.slice(0, 1)].join('.').slice(0, 100);
  throw new CoreServiceError('INVALID_PARAMETER', `"${field}" is not valid.`);
}
