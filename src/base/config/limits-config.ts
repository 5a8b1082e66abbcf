// Limits on what callers may use of a process.
import type { z } from 'zod';
import { integer } from './config-values.js';

/** Limits of callers, and of responses. */
export interface LimitsConfig {
  /** Limit of open sockets and event streams of one address without credentials, or of one holder. */
  readonly sockets: number;
  /** Limit of concurrent operations of one such socket. */
  readonly socketOperations: number;
  /** The same limits of one partner, and of the operator. */
  readonly partnerSockets: number;
  readonly partnerSocketOperations: number;
  /** Limit of distinct operations that all anonymous clients together subscribe to, in one process. */
  readonly anonymousSubscriptions: number;
  /** Concurrent database commands of one caller with credentials. */
  readonly storeCommands: number;
  /** Concurrent database commands of all anonymous callers together. */
  readonly anonymousStoreCommands: number;
  /** Points that one address without credentials, or one holder, gets back each second (base/callers/points.ts). */
  readonly requestPoints: number;
  /** The same for one partner. */
  readonly partnerRequestPoints: number;
  /** Wrong login codes per hour: of all strangers together, and of the logins for which one partner vouches. */
  readonly wrongCodesPerHour: number;
  /** Objects and values that the response to a GraphQL operation may have. */
  readonly maxResponseValues: number;
  /** Bytes of a response, over every transport. */
  readonly maxResponseBytes: number;
}

/** The variables, for config.ts. */
export const LIMIT_VARIABLES = {
  SOCKETS: integer(
    1,
    1_000_000,
    'sockets and event streams of one address without credentials, or of one holder',
  ).default(20),
  SOCKET_OPERATIONS: integer(1, 10_000, 'operations of one such socket at the same time').default(50),
  PARTNER_SOCKETS: integer(1, 1_000_000, 'sockets and event streams of one partner').default(10_000),
  PARTNER_SOCKET_OPERATIONS: integer(1, 10_000, 'operations of one socket of a partner at the same time').default(500),
  ANONYMOUS_SUBSCRIPTIONS: integer(
    1,
    100_000,
    'distinct operations that clients without credentials listen with',
  ).default(2_000),
  STORE_COMMANDS: integer(1, 1_000, 'database commands at the same time').default(32),
  ANONYMOUS_STORE_COMMANDS: integer(1, 1_000, 'database commands at the same time').default(16),
  REQUEST_POINTS: integer(1, 999_999_999, 'points a second').default(2_000),
  PARTNER_REQUEST_POINTS: integer(1, 999_999_999, 'points a second').default(20_000),
  WRONG_CODES_PER_HOUR: integer(1, 1_000_000, 'wrong login codes in an hour').default(300),
  MAX_RESPONSE_VALUES: integer(1_000, 10_000_000, 'objects and values of a response').default(50_000),
  MAX_RESPONSE_MB: integer(1, 256, 'megabytes of a response').default(16),
};

/** The limits that are configured. */
export function limitsOf(env: z.output<z.ZodObject<typeof LIMIT_VARIABLES>>): LimitsConfig {
  return {
    sockets: env.SOCKETS,
    socketOperations: env.SOCKET_OPERATIONS,
    partnerSockets: env.PARTNER_SOCKETS,
    partnerSocketOperations: env.PARTNER_SOCKET_OPERATIONS,
    anonymousSubscriptions: env.ANONYMOUS_SUBSCRIPTIONS,
    storeCommands: env.STORE_COMMANDS,
    anonymousStoreCommands: env.ANONYMOUS_STORE_COMMANDS,
    requestPoints: env.REQUEST_POINTS,
    partnerRequestPoints: env.PARTNER_REQUEST_POINTS,
    wrongCodesPerHour: env.WRONG_CODES_PER_HOUR,
    maxResponseValues: env.MAX_RESPONSE_VALUES,
    maxResponseBytes: env.MAX_RESPONSE_MB * 1024 * 1024,
  };
}
