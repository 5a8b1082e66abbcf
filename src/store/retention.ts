// How long rows are stored. Each row has its own end, which a TTL index enforces; when a setting changes, an elected process moves the ends of
// existing rows.
import type { Model } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { Elections } from './election.js';
import { pause, type Term } from './lease.js';
import { updateInPieces } from './pieces.js';

/** Rows whose time of expiry follows from a setting. */
export interface RetentionRule {
  // biome-ignore lint/suspicious/noExplicitAny: models of different rows; the field is named beside them.
  model: Model<any>;
  /** The field with the time at which the row expires. Rows without it do not expire. */
  end: 'expireAt' | 'expiresAt';
  /** The setting, milliseconds. */
  ms: number;
  /** For how long rows of earlier versions, which have no `retentionMs`, were meant to be stored, milliseconds. */
  formerMs: number;
}

/** A row that stores the setting with which its expiry was computed. */
export interface Retained {
  retentionMs?: number;
}

/**
 * After how many milliseconds the settings are applied again: while gateways are replaced one by one, some still write
 * rows with the former setting.
 */
const AGAIN_MS = 3_600_000;

/**
 * Changes the expiry of rows that were written with another setting. Each row is changed once, so this may be stopped
 * and run again, and may run while rows are written.
 */
export async function applyRetention({ model, end, ms, formerMs }: RetentionRule, signal?: AbortSignal): Promise<void> {
  const before = { $ifNull: ['$retentionMs', formerMs] };
  const change = { [end]: { $add: [`$${end}`, { $subtract: [ms, before] }] }, retentionMs: ms };
  const others = { [end]: { $exists: true }, retentionMs: { $ne: ms } };
  await updateInPieces(model, others, [{ $set: change }], { signal });
}

/** The elected process that applies the settings: when it is elected, and once more when all gateways should have them. */
export function retentionWorker(elections: Elections, rules: readonly RetentionRule[]): Worker {
  const apply = async (signal: AbortSignal): Promise<void> => {
    for (const rule of rules) await applyRetention(rule, signal);
  };
  const work = async ({ signal }: Term): Promise<void> => {
    await apply(signal);
    await pause(AGAIN_MS, signal);
    if (!signal.aborted) await apply(signal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };
  return elections.elect('retention', work);
}
