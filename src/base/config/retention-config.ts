// How long rows are stored: the variables, and what they mean. config.ts reads them.
import type { z } from 'zod';
import { integer } from './config-values.js';

/** How long rows are stored, milliseconds (docs/configuration.md). */
export interface Retention {
  /** Mails in the sandbox's mailbox. */
  readonly mailboxMs: number;
  /** Sessions without a new token. */
  readonly sessionMs: number;
  /** Batches, from their beginning. */
  readonly jobMs: number;
  /** Jobs for the chain, from their end. */
  readonly chainJobMs: number;
  /** Deliveries of webhooks. */
  readonly deliveryMs: number;
}

const DAY_MS = 86_400_000;

export const RETENTION_VARIABLES = {
  MAILBOX_RETENTION_MINUTES: integer(10, 1_440, 'how many minutes mails are kept in the mailbox').default(15),
  SESSION_RETENTION_DAYS: integer(1, 366, 'how many days a session lasts').default(30),
  JOB_RETENTION_DAYS: integer(1, 3_660, 'how many days batches are kept').default(30),
  CHAIN_JOB_RETENTION_DAYS: integer(1, 3_660, 'how many days ended jobs for the chain are kept').default(90),
  DELIVERY_RETENTION_DAYS: integer(1, 366, 'how many days deliveries of webhooks are kept').default(7),
};

/** The settings in milliseconds. */
export function retentionOf(env: z.output<z.ZodObject<typeof RETENTION_VARIABLES>>): Retention {
  return {
    mailboxMs: env.MAILBOX_RETENTION_MINUTES * 60_000,
    sessionMs: env.SESSION_RETENTION_DAYS * DAY_MS,
    jobMs: env.JOB_RETENTION_DAYS * DAY_MS,
    chainJobMs: env.CHAIN_JOB_RETENTION_DAYS * DAY_MS,
    deliveryMs: env.DELIVERY_RETENTION_DAYS * DAY_MS,
  };
}
