// Follows the log for verifications, whose claims may have changed. The position moves after each batch, because an event may be handled twice
// with the same result.
import type { Bell } from '../../base/concurrency/bell.js';
import type { EventReader } from '../../store/event-port.js';
import { followLog } from '../../store/follow-log.js';
import type { Checkpoint, Term } from '../../store/lease.js';
import type { VerificationOutcomes } from './outcomes.service.js';

interface FollowState {
  /** Everything up to this sequence number has been followed. */
  seq: number;
}

const BATCH = 250;

export interface FollowOptions {
  log: EventReader;
  outcomes: VerificationOutcomes;
  /** Shortest time between two rounds, milliseconds. */
  intervalMs: number;
  /** Called for a failure, after which it begins again. */
  onError(error: unknown): void;
}

/** Follows until the term ends: pending events at once, then whenever the bell rings. */
export function followVerifications(term: Term, bell: Bell, options: FollowOptions): Promise<void> {
  const { intervalMs, onError } = options;
  const batch = async (position: Checkpoint<FollowState>) => (await followBatch(position, options)) === BATCH;
  return followLog<FollowState>(term, { position: 'verification outcomes', bell, intervalMs, batch, onError });
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
