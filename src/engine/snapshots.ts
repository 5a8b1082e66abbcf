// Snapshots that reads outside of transactions share (readConcern snapshot): kept for a while, so that later reads can name their time.
import { mongoError } from './errors.js';
import type { Snapshot } from './store/snapshot.js';

const KEPT_MS = 60_000;
const MOST_KEPT = 32;

interface OpenSnapshot {
  snapshot: Snapshot;
  until: number;
}

/** Open snapshots by their timestamp. */
export class Snapshots {
  readonly #take: () => Snapshot;
  readonly #kept = new Map<bigint, OpenSnapshot>();

  constructor(take: () => Snapshot) {
    this.#take = take;
  }

  /** The snapshot of a time, or of now. Throws SnapshotTooOld (239) when that time is gone. */
  at(ts: bigint | undefined): Snapshot {
    const known = ts === undefined ? undefined : this.#kept.get(ts);
    if (known) return known.snapshot;
    const fresh = this.#take();
    if (ts !== undefined && fresh.ts !== ts) {
      fresh.close();
      throw mongoError('SnapshotTooOld', `Read timestamp ${ts} is older than the oldest available timestamp.`);
    }
    return this.#keep(fresh);
  }

  #keep(fresh: Snapshot): Snapshot {
    const same = this.#kept.get(fresh.ts);
    if (same) {
      fresh.close();
      return same.snapshot;
    }
    this.#kept.set(fresh.ts, { snapshot: fresh, until: Date.now() + KEPT_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#drop(oldest);
    return fresh;
  }

  #drop(ts: bigint): void {
    this.#kept.get(ts)?.snapshot.close();
    this.#kept.delete(ts);
  }

  /** Closes snapshots past their time; with infinity, all. */
  expire(now = Date.now()): void {
    for (const [ts, { until }] of [...this.#kept]) if (until <= now) this.#drop(ts);
  }
}
