// Follows the log in an elected process: batch by batch from a stored position, then whenever events are numbered.
import type { EventReader, StampedEvent } from './event-port.js';
import type { EventType } from './event-types.js';
import { type Checkpoint, LeaseLost, pause, type Term } from './lease.js';

export interface LogFollower<S> {
  /** Name of the checkpoint with the position, which only the newest term moves. */
  position: string;
  /** Rings when events are numbered. */
  bell: { rung(signal: AbortSignal): Promise<unknown> };
  /** Shortest time between two rounds, milliseconds: a busy log then needs few batches. */
  intervalMs: number;
  /** Once in a term, before the first batch. */
  begin?(position: Checkpoint<S>): Promise<void>;
  /** Handles the next events and moves the position. Returns whether there may be more. */
  batch(position: Checkpoint<S>): Promise<boolean>;
  /**
   * Called for a failure, after which the follower begins again. Without this callback, or if another process was
   * elected, the failure is thrown.
   */
  onError?(error: unknown): void;
}

/** The pause after a failure. */
const RETRY_MS = 2_000;

/** Follows the log until the term ends. A follower that fails ends neither the term nor other followers. */
export async function followLog<S>(term: Term, follower: LogFollower<S>): Promise<void> {
  const { signal } = term;
  while (!signal.aborted) {
    try {
      await follow(term, follower);
    } catch (error) {
      if (follower.onError === undefined) throw error;
      if (signal.aborted) return;
      if (error instanceof LeaseLost) throw error;
      follower.onError(error);
      await pause(RETRY_MS, signal);
    }
  }
}

async function follow<S>(
  term: Term,
  { position: name, bell, intervalMs, begin, batch }: LogFollower<S>,
): Promise<void> {
  const { signal } = term;
  const position = await term.checkpoint<S>(name);
  await begin?.(position);
  while (!signal.aborted) {
    while (!signal.aborted && (await batch(position)));
    await pause(intervalMs, signal);
    await bell.rung(signal);
  }
}

/** Handles events of the log, batch by batch. */
export interface EventFollower extends Pick<LogFollower<FollowState>, 'position' | 'bell' | 'intervalMs' | 'onError'> {
  log: EventReader;
  /** The types that are handled. */
  types: readonly EventType[];
  /** Handles events of these types, which may come twice: the position moves after each batch. */
  handle(events: readonly StampedEvent[]): Promise<void>;
}

interface FollowState {
  /** Everything up to this sequence number has been handled. */
  seq: number;
}

const BATCH = 250;

/** Follows until the term ends: pending events at once, then whenever the bell rings. */
export function followEvents(term: Term, { log, types, handle, ...follower }: EventFollower): Promise<void> {
  const batch = async (position: Checkpoint<FollowState>): Promise<boolean> => {
    const { seq } = (await position.state()) ?? { seq: 0 };
    // Read before the events, so all up to it are in the log.
    const newest = await log.newestSeq();
    const events = await log.ofTypes(types, seq, BATCH);
    const last = events.at(-1)?.seq ?? 0;
    const more = events.length === BATCH;
    const upTo = more ? last : Math.max(newest, last);
    if (upTo <= seq) return false;
    if (events.length > 0) await handle(events);
    await position.advance({ seq: upTo });
    return more;
  };
  return followLog<FollowState>(term, { ...follower, batch });
}
