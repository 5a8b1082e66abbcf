// Snapshots that reads outside of transactions share (readConcern snapshot). They stay open for a while, so that later reads can name their time.
import { mongoError } from '../errors.js';
import type { Snapshot } from '../store/snapshot.js';

const RETENTION_MS = 60_000;
const MAX_KEPT = 32;

interface OpenSnapshot {
  snapshot: Snapshot;
  until: number;
}

/** Open snapshots by their timestamp. */
export class Snapshots {
  readonly #take: () => Snapshot;
  readonly #open = new Map<bigint, OpenSnapshot>();

  constructor(take: () => Snapshot) {
    this.#take = take;
  }

  /** The snapshot of a time, or of now. Throws SnapshotTooOld (239) if that snapshot is closed. */
  at(ts: bigint | undefined): Snapshot {
    const open = ts === undefined ? undefined : this.#open.get(ts);
    if (open) return open.snapshot;
    const fresh = this.#take();
    if (ts !== undefined && fresh.ts !== ts) {
      fresh.close();
      throw mongoError('SnapshotTooOld', `Read timestamp ${ts} is older than the oldest available timestamp.`);
    }
    return this.#keep(fresh);
  }

  #keep(fresh: Snapshot): Snapshot {
    const same = this.#open.get(fresh.ts);
    if (same) {
      fresh.close();
      return same.snapshot;
    }
    this.#open.set(fresh.ts, { snapshot: fresh, until: Date.now() + RETENTION_MS });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_KEPT && oldest !== undefined) this.#drop(oldest);
    return fresh;
  }

  #drop(ts: bigint): void {
    this.#open.get(ts)?.snapshot.close();
    this.#open.delete(ts);
  }

  /** Closes expired snapshots; with infinity, all. */
  expire(now = Date.now()): void {
    for (const [ts, { until }] of [...this.#open]) if (until <= now) this.#drop(ts);
  }
}
