// Follows the log in an elected process: batch by batch from a stored position, then whenever events are numbered.
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
