// Waits for the ends of other processes' leases: one reader in each process, which reads when the first awaited lease would end.
import { Bell } from '../base/concurrency/bell.js';
import { isOver } from './lease-end.js';
import { NOT_ENDED, type ProcessLeaseModels, TERM_MS } from './process-rows.js';

/** Added to the time that is left of a lease, so that it is over when it is read again. Milliseconds. */
const MARGIN_MS = 20;
const RETRY_MS = 500;
const IS_OVER = isOver('$expiresAt', TERM_MS);

interface Watched {
  waiting: number;
  ended: Promise<void>;
  end(): void;
}

/** A lease as it is read. */
interface SeenLease {
  _id: string;
  elects?: true;
  left: number;
  over: boolean;
}

/** The ends of leases. */
export class LeaseEnds {
  readonly #watched = new Map<string, Watched>();
  readonly #bell = new Bell();
  #isRunning = false;

  /** @param stop a signal that ends the reader. */
  constructor(
    private readonly models: ProcessLeaseModels,
    private readonly stop: AbortSignal,
  ) {}

  /**
   * Which of these leases have ended. Their rows are marked, so that they are never renewed, even if the clock is set back; except rows of
   * earlier versions, which may be renewed.
   */
  async haveEnded(ids: readonly string[]): Promise<Set<string>> {
    return new Set((await this.#leftOf(ids)).flatMap(([id, leftMs]) => (leftMs === undefined ? [id] : [])));
  }

  /** Resolves when a lease has ended, or the signal aborts. */
  async untilEnded(id: string, signal: AbortSignal): Promise<void> {
    const watched = this.#watched.get(id) ?? this.#watch(id);
    watched.waiting += 1;
    await endOrAbort(watched.ended, signal);
    watched.waiting -= 1;
    if (watched.waiting === 0 && this.#watched.get(id) === watched) this.#watched.delete(id);
  }

  /** Reads the awaited leases at once: a process may have stopped. */
  readNow(): void {
    if (this.#watched.size > 0) this.#bell.ring();
  }

  #watch(id: string): Watched {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const watched = { waiting: 0, ended, end };
    this.#watched.set(id, watched);
    if (this.#isRunning) this.#bell.ring();
    else void this.#run();
    return watched;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#watched.size > 0 && !this.stop.aborted) {
      const leftMs = await this.#read().catch(() => RETRY_MS);
      if (leftMs !== undefined) await this.#bell.rungWithin(leftMs + MARGIN_MS, this.stop);
    }
    this.#isRunning = false;
  }

  /** Ends the waits for leases that have ended. Returns the milliseconds until the first of the others would. */
  async #read(): Promise<number | undefined> {
    const left = await this.#leftOf([...this.#watched.keys()]);
    let least: number | undefined;
    for (const [id, leftMs] of left) {
      if (leftMs !== undefined) least = Math.min(least ?? leftMs, leftMs);
      else {
        this.#watched.get(id)?.end();
        this.#watched.delete(id);
      }
    }
    return least;
  }

  /** How long each lease still lasts unless it is renewed, milliseconds; undefined if it has ended. */
  async #leftOf(ids: readonly string[]): Promise<[id: string, leftMs: number | undefined][]> {
    const { processes } = this.models;
    const fields = { elects: 1, left: { $subtract: ['$expiresAt', '$$NOW'] }, over: IS_OVER };
    const rows = await processes.find({ _id: { $in: [...ids] }, ...NOT_ENDED }, fields).lean<SeenLease[]>();
    const over = rows.filter((row) => row.over && row.elects).map(({ _id }) => _id);
    if (over.length > 0) {
      await processes.updateMany({ _id: { $in: over }, $expr: IS_OVER }, { $set: { ended: true } });
      return this.#leftOf(ids);
    }
    const leftOf = new Map(rows.filter((row) => !row.over).map((row) => [row._id, row.left]));
    return ids.map((id) => [id, leftOf.get(id)]);
  }
}

function endOrAbort(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    void ended.then(end);
  });
}
