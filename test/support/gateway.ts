// A real gateway for tests: in this process, on a free port, with a new database in the run's store.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { type App, type AppOverrides, createApp } from '../../src/compose/app.js';
import { migrate } from '../../src/store/connection.js';
import { noteOutput } from './exchanges.js';

export interface GraphqlAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  data: any;
  errors?: {
    message: string;
    path?: (string | number)[];
    locations?: { line: number; column: number }[];
    extensions: Record<string, unknown>;
  }[];
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  body: any;
}

export interface RestOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestGateway {
  app: App;
  url: string;
  operatorKey: string;
  gql(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  rest(method: string, path: string, options?: RestOptions): Promise<RestAnswer>;
  /** The same request as the operator. */
  admin(method: string, path: string, options?: RestOptions): Promise<RestAnswer>;
  close(): Promise<void>;
}

/**
 * Limits of the driver that suit a busy machine. Tests with a proxy in front of the store do not use them, because they
 * are about a store that cannot be reached.
 */
export const PATIENT_DRIVER = {
  serverSelectionTimeoutMS: '120000',
  connectTimeoutMS: '120000',
  waitQueueTimeoutMS: '120000',
  socketTimeoutMS: '600000',
  // Mongoose takes a connection for lost if it has had no heartbeat for two of these, as when a process gets no processor time for ten seconds.
  heartbeatFrequencyMS: '120000',
};

/** The connection string of a database in the run's store. It may be the database of an open connection. */
export function databaseUri(name: string): string {
  const prefix = inject('databasePrefix');
  const database = name.startsWith(prefix) ? name : prefix + name;
  return uriOf(inject('mongodbUri'), database, PATIENT_DRIVER);
}

/**
 * The connection string of another database on the same server. Users still authenticate at the database of the first
 * string.
 */
export function uriOf(uri: string, database: string, options: Record<string, string> = {}): string {
  const [address = '', query] = uri.split('?');
  const [, server = '', signsIn, signInAt] = /^([a-z+]+:\/\/(?:([^@/]*)@)?[^/]*)(?:\/(.*))?$/.exec(address) ?? [];
  const all = new URLSearchParams(query);
  if (signsIn !== undefined && !all.has('authSource')) all.set('authSource', signInAt || 'admin');
  for (const [option, value] of Object.entries(options)) all.set(option, value);
  return `${server}/${database}?${all}`;
}

export const OPERATOR_KEY = 'operator-key-of-the-tests-0123456789abcdef';
/** One for all gateways that share a database. */
const KEYSTORE_KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * No limits: some tests send thousands of requests from one address, and machines may be busy. Limits and deadlines
 * have tests of their own.
 */
export const UNLIMITED = {
  REQUEST_POINTS: '999999999',
  PARTNER_REQUEST_POINTS: '999999999',
  MAX_EVENT_LOOP_DELAY_MS: '0',
  REQUEST_TIMEOUT_SECONDS: '300',
};

/** What a test changes in its gateway. */
export type GatewayOptions = { env?: Record<string, string> } & AppOverrides;

/** Starts a gateway with its indexes built; `env` adds to or replaces its environment. */
export async function startGateway({ env = {}, ...overrides }: GatewayOptions = {}): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'));
  const config = loadConfig({
    MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`),
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    ADMIN_API_KEY: OPERATOR_KEY,
    KEYSTORE_KEY,
    EXECUTOR: process.env.EXECUTOR,
    ...UNLIMITED,
    ...env,
  });
  const app = await createApp(config, { logTo: { write: noteOutput }, ...overrides });
  await migrate(app.connection);
  const { url } = await app.listen();
  return {
    app,
    ...callsOf(url),
    close: async () => {
      await app.connection.dropDatabase();
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls of a gateway, whose operator's key is that of the tests. */
export function callsOf(url: string): Omit<TestGateway, 'app' | 'close'> {
  const rest = (method: string, path: string, options: RestOptions = {}) => callRest(url, method, path, options);
  return {
    url,
    operatorKey: OPERATOR_KEY,
    gql: (query, variables, headers) => callGraphql(url, query, variables, headers),
    rest,
    admin: (method, path, { body, headers } = {}) =>
      rest(method, path, { body, headers: { 'x-admin-api-key': OPERATOR_KEY, ...headers } }),
  };
}

async function callGraphql(
  url: string,
  query: string,
  variables?: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return { status: answer.status, ...((await answer.json()) as Omit<GraphqlAnswer, 'status'>) };
}

async function callRest(
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: RestOptions,
): Promise<RestAnswer> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json =
    answer.headers.get('content-type')?.includes('json') && !answer.headers.get('content-type')?.includes('ndjson');
  return { status: answer.status, headers: answer.headers, body: json && text ? JSON.parse(text) : text };
}
