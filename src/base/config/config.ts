// The only reader of the environment. All invalid variables are reported at once, each with the fix; the result is frozen.
import { z } from 'zod';
import { CHAIN_VARIABLES, type ChainConfig, chainOf, chainProblems } from './chain-config.js';
import { flag, hostName, httpUrls, integer, key, mongodbUri, origins, publicUrl } from './config-values.js';
import { LIMIT_VARIABLES, type LimitsConfig, limitsOf } from './limits-config.js';
import { RETENTION_VARIABLES, type Retention, retentionOf } from './retention-config.js';
import { misspelt } from './misspelt.js';
import { SECRET_FILES, withSecretFiles } from './secret-files.js';
import { TRACING_VARIABLES, type TracingConfig, tracingOf } from './tracing-config.js';
import { WALLET_VARIABLES, type WalletsConfig, walletsOf } from './wallets-config.js';

export interface Config extends LimitsConfig {
  readonly host: string;
  readonly port: number;
  /** Says whether this is the sandbox; NODE_ENV does not (contract §1). */
  readonly networkEnv: 'sandbox' | 'production';
  /** Undefined: the embedded engine, in `dataDir`. */
  readonly mongodbUri: string | undefined;
  readonly dataDir: string;
  readonly catalogEnabled: boolean;
  /** Whether the start page, GraphiQL and the REST documentation are served. */
  readonly pages: boolean;
  /** Whether wallets and verifiers of others are served. */
  readonly openid4vc: boolean;
  readonly wallets: WalletsConfig;
  readonly corsOrigins: readonly string[];
  /** Undefined: the sandbox keeps one in `dataDir`; in production the operator's API is closed. */
  readonly adminApiKey: string | undefined;
  /** The address that clients use, without a trailing slash; undefined: the address that the server listens on. */
  readonly publicUrl: string | undefined;
  /** The relying party of passkeys; undefined: the host of PUBLIC_URL. */
  readonly passkeyRpId: string | undefined;
  /** 32 bytes; undefined: the sandbox keeps one in `dataDir`. */
  readonly keystoreKey: Buffer | undefined;
  /** The previous KEYSTORE_KEY, during a rotation; 32 bytes. */
  readonly keystoreKeyPrevious: Buffer | undefined;
  /** The prefix of holders' DIDs. */
  readonly holderDidPrefix: string;
  /** Type of the iden3 id in a holder's DID, 2 bytes. */
  readonly holderDidType: Buffer;
  /** Undefined: no mail is sent. In the sandbox, mails are only in the mailbox; in production, nobody can log in. */
  readonly smtpUrl: string | undefined;
  /** Sender of login codes. */
  readonly mailFrom: string;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** The maximum age of a partner's cached key set while its host is unavailable, milliseconds. */
  readonly keySetStaleMs: number;
  /** How long a request may take until its response, milliseconds. */
  readonly requestTimeoutMs: number;
  /** How much the event loop may lag until requests are refused, milliseconds; 0: no limit. */
  readonly maxLoopDelayMs: number;
  /** After a signal to stop, how long the gateway still serves while it reports that it is not ready, milliseconds. */
  readonly stopDelayMs: number;
  /** How many trusted proxies in front of the server state the client's address. */
  readonly trustProxy: number;
  /** Whether an empty sandbox gets the sample catalog. */
  readonly sampleCatalog: boolean;
  /** How long an event is stored in the log, milliseconds. */
  readonly eventRetentionMs: number;
  /** How long rows are stored, milliseconds. */
  readonly retention: Retention;
  /** The number of this worker process; undefined: it is the only process, or the primary. */
  readonly worker: number | undefined;
  /** The address of the engine that the primary has started, for its workers; `mongodbUri` is undefined then. */
  readonly engineUri: string | undefined;
  /** Whether this process builds the indexes of the embedded store, and may load the sample catalog. */
  readonly preparesStore: boolean;
  /** Whether documents of `trustedDocumentsFile` are found by their ids, and whether other documents may run. */
  readonly trustedDocuments: 'off' | 'prefer' | 'only';
  readonly trustedDocumentsFile: string | undefined;
  /** What runs GraphQL operations: compiled operations where possible, or graphql-js alone. */
  readonly executor: 'js' | 'compiled';
  /** Size of the entity cache, megabytes; 0 disables it. */
  readonly entityCacheMb: number;
  /** Size of the row text cache, megabytes; 0 disables it. */
  readonly rowTextCacheMb: number;
  /** Size of the response cache for anonymous reads of the catalog, megabytes; 0 disables it. */
  readonly responseCacheMb: number;
  /** Threads that sign and check proofs, started by the first; 0: proofs are off. */
  readonly zkWorkers: number;
  /** Base addresses of networks whose catalogs are mirrored again and again. */
  readonly mirrorFrom: readonly string[];
  /** From the end of a run to the beginning of the next, milliseconds. */
  readonly mirrorIntervalMs: number;
  /** Whether networks that are mirrored may be at private addresses, and over http. */
  readonly mirrorInternal: boolean;
  /** The chain on which credentials are anchored. */
  readonly chain: ChainConfig;
  /** Where traces are sent; undefined: nowhere. */
  readonly tracing: TracingConfig | undefined;
}

/** The configuration is invalid; `problems` has one sentence for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

const VARIABLES = {
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 'a TCP port').default(4000),
  NETWORK_ENV: z.enum(['sandbox', 'production'], { error: 'must be sandbox or production' }).default('sandbox'),
  MONGODB_URI: mongodbUri.optional(),
  DATA_DIR: z.string().default('./data'),
  CATALOG_ENABLED: flag.optional(),
  PAGES: flag.optional(),
  ...WALLET_VARIABLES,
  CORS_ORIGINS: origins.default([]),
  ADMIN_API_KEY: z
    .string()
    .min(32, 'must be at least 32 characters; create one with: openssl rand -hex 32')
    .max(512, 'must be at most 512 characters')
    .optional(),
  PUBLIC_URL: publicUrl.optional(),
  PASSKEY_RP_ID: hostName.optional(),
  KEYSTORE_KEY: key.optional(),
  KEYSTORE_KEY_PREVIOUS: key.optional(),
  HOLDER_DID_PREFIX: z
    .string()
    .regex(
      /^did:[a-z0-9]+:(?:[A-Za-z0-9._-]+:)*$/,
      'must be the beginning of a DID that ends with a colon, such as did:core:id:main:',
    )
    .optional(),
  HOLDER_DID_TYPE: z
    .string()
    .regex(/^[0-9a-f]{4}$/i, 'must be 2 bytes in hex, such as 03d2')
    .optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/.+/, 'must be an address that begins with smtp:// or smtps://')
    .optional(),
  MAIL_FROM: z.email('must be an e-mail address').default('no-reply@localhost.localdomain'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'must be fatal, error, warn, info, debug or silent',
    })
    .default('info'),
  TRUST_PROXY: integer(0, 10, 'how many proxies are in front').default(0),
  KEY_SET_STALE_MINUTES: integer(
    1,
    10_080,
    "minutes that a partner's key set is used while its host is unavailable",
  ).default(60),
  REQUEST_TIMEOUT_SECONDS: integer(1, 300, 'seconds that a request may wait for its response').default(12),
  MAX_EVENT_LOOP_DELAY_MS: integer(0, 60_000, 'milliseconds, 0 for no limit').default(1_000),
  STOP_DELAY_SECONDS: integer(0, 60, 'seconds from the signal to the stop').default(0),
  SAMPLE_CATALOG: flag.optional(),
  EVENT_RETENTION_HOURS: integer(1, 8_760, 'how many hours events are kept').default(24),
  ...RETENTION_VARIABLES,
  ENTITY_CACHE_MB: integer(0, 4_096, 'megabytes of the catalog kept in memory, 0 for none').default(48),
  ROW_TEXT_CACHE_MB: integer(0, 1_024, 'megabytes of JSON texts of rows kept in memory, 0 for none').default(16),
  RESPONSE_CACHE_MB: integer(0, 4_096, 'megabytes of cached responses to anonymous callers, 0 for none').default(32),
  TRUSTED_DOCUMENTS: z.enum(['off', 'prefer', 'only'], { error: 'must be off, prefer or only' }).optional(),
  TRUSTED_DOCUMENTS_FILE: z.string().optional(),
  MIRROR_FROM: httpUrls.default([]),
  MIRROR_INTERVAL_MINUTES: integer(1, 10_080, 'minutes between two runs of a mirror').default(60),
  MIRROR_INTERNAL: flag.default(false),
  ...CHAIN_VARIABLES,
  ...LIMIT_VARIABLES,
  ...TRACING_VARIABLES,
  // Set by a primary for its workers, and by nothing else.
  GATEWAY_WORKER: integer(1, 64, 'the number of a worker').optional(),
  GATEWAY_ENGINE_URI: mongodbUri.optional(),
  GATEWAY_PREPARES: flag.default(true),
  EXECUTOR: z
    .enum(['js', 'compiled', 'jit'], { error: 'must be js or compiled' })
    // The former name of `compiled`.
    .transform((kind) => (kind === 'jit' ? 'compiled' : kind))
    .default('compiled'),
  ZK: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  ZK_WORKERS: integer(1, 4, 'threads that sign and check proofs').default(1),
};

/**
 * The prefix of holders' DIDs in a sandbox, and the type of the id in it: iden3's libraries refuse an id whose type
 * belongs to another network.
 */
const TEST_NETWORK = { prefix: 'did:core:id:testnet:', type: '03d2' };
const MAIN_PREFIX = 'did:core:id:main:';

type Variables = z.output<z.ZodObject<typeof VARIABLES>>;

const didPrefixOf = ({ HOLDER_DID_PREFIX, NETWORK_ENV }: Variables): string =>
  HOLDER_DID_PREFIX ?? (NETWORK_ENV === 'sandbox' ? TEST_NETWORK.prefix : MAIN_PREFIX);

/** Names of variables in earlier versions. The value of a former name is used if the new name is unset. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  ROW_TEXT_CACHE_MB: 'FRAGMENT_CACHE_MB',
  RESPONSE_CACHE_MB: 'ANSWER_CACHE_MB',
  MAX_RESPONSE_VALUES: 'MAX_ANSWER_VALUES',
  MAX_RESPONSE_MB: 'MAX_ANSWER_MB',
};

/** Browsers refuse passkeys of other hosts. */
function passkeyProblems({ PASSKEY_RP_ID, PUBLIC_URL }: Variables): string[] {
  const { hostname } = new URL(PUBLIC_URL ?? 'http://localhost');
  if (PASSKEY_RP_ID === undefined || PASSKEY_RP_ID === hostname) return [];
  // A top-level domain belongs to nobody.
  if (PASSKEY_RP_ID.includes('.') && hostname.endsWith(`.${PASSKEY_RP_ID}`)) return [];
  return [`PASSKEY_RP_ID must be the host of PUBLIC_URL, ${hostname}, or a domain above it`];
}

/** Checks that involve more than one variable. */
function combinationProblems(env: Variables): string[] {
  const missing: string[] = [];
  const prefix = didPrefixOf(env);
  if (env.HOLDER_DID_TYPE === undefined && prefix !== TEST_NETWORK.prefix)
    missing.push(
      `HOLDER_DID_TYPE must be set for the prefix "${prefix}": it is the number of that network in iden3's libraries, 2 bytes in hex. The default, ${TEST_NETWORK.type}, is of "${TEST_NETWORK.prefix}"; issuers with these libraries refuse a DID whose type is of another network`,
    );
  if ((env.TRUSTED_DOCUMENTS ?? 'off') !== 'off' && env.TRUSTED_DOCUMENTS_FILE === undefined)
    missing.push(
      'TRUSTED_DOCUMENTS_FILE must be set when TRUSTED_DOCUMENTS is prefer or only: the path of the manifest',
    );
  if (env.TRUSTED_DOCUMENTS === undefined && env.TRUSTED_DOCUMENTS_FILE !== undefined)
    missing.push(
      'TRUSTED_DOCUMENTS must be set when TRUSTED_DOCUMENTS_FILE is: to prefer, only, or off to ignore the file',
    );
  if (env.KEYSTORE_KEY_PREVIOUS !== undefined && env.KEYSTORE_KEY === undefined)
    missing.push('KEYSTORE_KEY must be set when KEYSTORE_KEY_PREVIOUS is: to the new key');
  if (env.KEYSTORE_KEY !== undefined && env.KEYSTORE_KEY_PREVIOUS?.equals(env.KEYSTORE_KEY))
    missing.push('KEYSTORE_KEY_PREVIOUS must be another key than KEYSTORE_KEY: the one before it');
  missing.push(...chainProblems(env), ...passkeyProblems(env));
  if (env.NETWORK_ENV === 'sandbox') return missing;
  if (env.KEYSTORE_KEY === undefined)
    missing.push('KEYSTORE_KEY must be set in production: 32 bytes in base64, from openssl rand -base64 32');
  if (env.PUBLIC_URL === undefined)
    missing.push('PUBLIC_URL must be set in production: the https address where clients reach the gateway');
  else if (!env.PUBLIC_URL.startsWith('https://')) missing.push('PUBLIC_URL must be https in production');
  return missing;
}

/** A sentence for each variable that is almost one of the gateway. */
export function misspeltVariables(source: NodeJS.ProcessEnv = process.env): string[] {
  return misspelt(source, [...Object.keys(VARIABLES), ...SECRET_FILES, ...Object.values(FORMER_NAMES)]);
}

/** Reads the configuration. An empty variable counts as unset. @throws ConfigError naming every bad variable. */
export function loadConfig(source: NodeJS.ProcessEnv = process.env): Config {
  const { environment, problems: unread } = withSecretFiles(source);
  const textOf = (name: string) => environment[name] || environment[FORMER_NAMES[name] ?? ''] || undefined;
  const variables = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, textOf(name)]));
  const parsed = z.object(VARIABLES).safeParse(variables);
  const bad = (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
  if (!parsed.success || unread.length > 0) throw new ConfigError([...unread, ...bad]);
  const env = parsed.data;
  const problems = combinationProblems(env);
  if (problems.length > 0) throw new ConfigError(problems);
  const sandbox = env.NETWORK_ENV === 'sandbox';
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    networkEnv: env.NETWORK_ENV,
    mongodbUri: env.MONGODB_URI,
    dataDir: env.DATA_DIR,
    catalogEnabled: sandbox || env.CATALOG_ENABLED === true,
    pages: env.PAGES ?? sandbox,
    openid4vc: env.OPENID4VC === 'on',
    wallets: walletsOf(env),
    corsOrigins: env.CORS_ORIGINS,
    adminApiKey: env.ADMIN_API_KEY,
    publicUrl: env.PUBLIC_URL,
    passkeyRpId: env.PASSKEY_RP_ID,
    keystoreKey: env.KEYSTORE_KEY,
    keystoreKeyPrevious: env.KEYSTORE_KEY_PREVIOUS,
    holderDidPrefix: didPrefixOf(env),
    holderDidType: Buffer.from(env.HOLDER_DID_TYPE ?? TEST_NETWORK.type, 'hex'),
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    logLevel: env.LOG_LEVEL,
    keySetStaleMs: env.KEY_SET_STALE_MINUTES * 60_000,
    requestTimeoutMs: env.REQUEST_TIMEOUT_SECONDS * 1_000,
    maxLoopDelayMs: env.MAX_EVENT_LOOP_DELAY_MS,
    stopDelayMs: env.STOP_DELAY_SECONDS * 1_000,
    trustProxy: env.TRUST_PROXY,
    sampleCatalog: sandbox && env.SAMPLE_CATALOG !== false,
    eventRetentionMs: env.EVENT_RETENTION_HOURS * 3_600_000,
    retention: retentionOf(env),
    worker: env.GATEWAY_WORKER,
    engineUri: env.GATEWAY_ENGINE_URI,
    preparesStore: env.MONGODB_URI === undefined && env.GATEWAY_PREPARES,
    trustedDocuments: env.TRUSTED_DOCUMENTS ?? 'off',
    trustedDocumentsFile: env.TRUSTED_DOCUMENTS_FILE,
    executor: env.EXECUTOR,
    entityCacheMb: env.ENTITY_CACHE_MB,
    rowTextCacheMb: env.ROW_TEXT_CACHE_MB,
    responseCacheMb: env.RESPONSE_CACHE_MB,
    zkWorkers: env.ZK === 'off' ? 0 : env.ZK_WORKERS,
    mirrorFrom: env.MIRROR_FROM,
    mirrorIntervalMs: env.MIRROR_INTERVAL_MINUTES * 60_000,
    mirrorInternal: env.MIRROR_INTERNAL,
    ...limitsOf(env),
    chain: chainOf(env),
    tracing: tracingOf(env),
  });
}
