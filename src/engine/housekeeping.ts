// What runs beside the commands: sessions, cursors and snapshots that time out, the oplog's trimming, garbage left by drops, expired documents.
import type { Engine } from './engine.js';
import { isOutOfRoom, PAGE_BYTES } from './store/room.js';
import { breathe } from './store/slices.js';
import { TtlMonitor } from './ttl.js';

const TICK_MS = 1000;
const TRIM_BITE = 1000;
/** What a bite copies of pages: its entries lie side by side. */
const BITE_BYTES = 256 * 1024;
/** Sessions that are looked at in one go: about a millisecond. */
const SESSION_BITE = 200;
const DEFAULT_OPLOG_HOURS = 24;
const DEFAULT_OPLOG_MB = 256;
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
    // Due at once: an engine that never runs for a whole period removes expired documents too.
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
      // On a full disk, all of it waits.
      if (!this.#engine.closing && !isOutOfRoom(error)) console.error('engine housekeeping failed:', error);
    }
  }

  /** Those of earlier runs, too. Looked at outside of the write, which others wait for. */
  async #forgetSessions(): Promise<void> {
    const { sessions, room, tables } = this.#engine;
    let after: Buffer | undefined;
    do {
      const { unused, last } = sessions.storedUnused(SESSION_BITE, after);
      after = last;
      if (unused.length > 0) {
        room.requireToRemove(unused.length * PAGE_BYTES);
        await tables.root.transaction(() => sessions.removeUnused(unused));
      }
      await breathe();
    } while (after && !this.#engine.closing);
  }

  async #trim(): Promise<void> {
    const { oplog, room, tables, options } = this.#engine;
    const hours = options.oplogHours ?? DEFAULT_OPLOG_HOURS;
    const maxBytes = (options.oplogMb ?? DEFAULT_OPLOG_MB) * 1024 * 1024;
    for (let removed = TRIM_BITE; removed === TRIM_BITE && !this.#engine.closing; ) {
      const before = BigInt(Math.max(0, Math.floor(Date.now() / 1000 - hours * 3600))) << 32n;
      if (!oplog.needsTrim(before, maxBytes)) return;
      room.requireToRemove(BITE_BYTES);
      removed = await tables.root.transaction(() => oplog.trim(before, maxBytes, TRIM_BITE));
      await breathe();
    }
  }

  /** Stops the timers and waits for what runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }
}
