// Background work: time-outs of sessions, cursors and snapshots, trimming of the oplog, garbage of drops, expired documents.
import type { Engine } from './engine.js';
import { isDiskFull, PAGE_BYTES } from './store/disk-space.js';
import { breathe } from './store/slices.js';
import { TtlMonitor } from './ttl.js';

const TICK_MS = 1000;
const TRIM_CHUNK = 1000;
/** Bytes of the pages that trimming a chunk copies: few, because its entries are adjacent. */
const CHUNK_BYTES = 256 * 1024;
/** Sessions read per step, which takes about a millisecond. */
const SESSION_CHUNK = 200;
const DEFAULT_OPLOG_HOURS = 24;
const DEFAULT_TTL_SECONDS = 60;

/** The engine's timers. */
export class Housekeeping {
  readonly #engine: Engine;
  readonly #ttl: TtlMonitor;
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> | undefined;
  #nextTtl: number;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#ttl = new TtlMonitor(engine);
    // The first run is due at once, so that an engine that never runs for a whole interval removes expired documents too.
    this.#nextTtl = 0;
    engine.garbage.start();
    this.#timer = setInterval(() => this.#tick(), Math.min(TICK_MS, this.#ttlMs()));
    this.#timer.unref();
    this.#tick();
  }

  #ttlMs(): number {
    return (this.#engine.options.ttlSeconds ?? DEFAULT_TTL_SECONDS) * 1000;
  }

  #tick(): void {
    const { sessions, cursors, snapshots } = this.#engine;
    const expired = new Set(sessions.expire());
    cursors.expire();
    if (expired.size > 0)
      cursors.killWhere((cursor) => cursor.session !== undefined && expired.has(cursor.session.key));
    snapshots.expire();
    this.#engine.forgetWrites();
    this.#engine.garbage.start();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    try {
      await this.#trim();
      if (Date.now() < this.#nextTtl) return;
      this.#nextTtl = Date.now() + this.#ttlMs();
      await this.#ttl.run();
      await this.#forgetSessions();
    } catch (error) {
      // On a full disk, all background work waits.
      if (!this.#engine.closing && !isDiskFull(error)) console.error('engine housekeeping failed:', error);
    }
  }

  /** Removes unused sessions, also those of earlier runs. They are read outside of the write, because other writes wait for it. */
  async #forgetSessions(): Promise<void> {
    const { sessions, diskSpace, tables } = this.#engine;
    let after: Buffer | undefined;
    do {
      const { unused, last } = sessions.storedUnused(SESSION_CHUNK, after);
      after = last;
      if (unused.length > 0) {
        diskSpace.requireToRemove(unused.length * PAGE_BYTES);
        await tables.root.transaction(() => sessions.removeUnused(unused));
      }
      await breathe();
    } while (after && !this.#engine.closing);
  }

  async #trim(): Promise<void> {
    const { oplog, oplogBytes, diskSpace, tables, options } = this.#engine;
    const hours = options.oplogHours ?? DEFAULT_OPLOG_HOURS;
    for (let removed = TRIM_CHUNK; removed >= TRIM_CHUNK && !this.#engine.closing; ) {
      const before = BigInt(Math.max(0, Math.floor(Date.now() / 1000 - hours * 3600))) << 32n;
      if (!oplog.needsTrim(before, oplogBytes)) return;
      diskSpace.requireToRemove(CHUNK_BYTES);
      removed = await tables.root.transaction(() => oplog.trim(before, oplogBytes, TRIM_CHUNK));
      await breathe();
    }
  }

  /** Stops the timers and waits for running work. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }
}
