// Follows the log for verifications, whose claims may have changed. The position moves after each batch, because an event may be handled twice
// with the same result.
import type { Bell } from '../../base/concurrency/bell.js';
import type { EventReader } from '../../store/event-port.js';
import { type Checkpoint, pause, type Term } from '../../store/lease.js';
import type { VerificationOutcomes } from './outcomes.service.js';

interface FollowState {
  /** Everything up to this sequence number was followed. */
  seq: number;
}

const BATCH = 250;

export interface FollowOptions {
  log: EventReader;
  outcomes: VerificationOutcomes;
  /** Shortest time between two rounds, milliseconds. */
  intervalMs: number;
}

/** Follows until the term ends: pending events at once, then whenever the bell rings. */
export async function followVerifications(term: Term, bell: Bell, options: FollowOptions): Promise<void> {
  const checkpoint = await term.checkpoint<FollowState>('verification outcomes');
  while (!term.signal.aborted) {
    while ((await followBatch(checkpoint, options)) === BATCH && !term.signal.aborted);
    await pause(options.intervalMs, term.signal);
    await bell.rung(term.signal);
  }
}

async function followBatch(checkpoint: Checkpoint<FollowState>, { log, outcomes }: FollowOptions): Promise<number> {
  const { seq } = (await checkpoint.state()) ?? { seq: 0 };
  const events = await log.after(seq, BATCH);
  const last = events.at(-1);
  if (last === undefined) return 0;
  await outcomes.follow(events);
  await checkpoint.advance({ seq: last.seq });
  return events.length;
}
