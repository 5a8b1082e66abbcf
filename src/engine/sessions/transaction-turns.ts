// Transactions begin in turns: the snapshot of each keeps all pages that later commits free, so many at once make the
// data file grow.
import type { Txn } from '../store/txn.js';

/** Transactions that read at once. More are not faster, because all run in one thread. */
const MOST = 4;
/** None waits longer for its turn: a client may begin one while it has others open. */
const MOST_MS = 250;

/** The transactions of one engine that read, and those that wait for their turn. */
export class TransactionTurns {
  #reading = 0;
  readonly #waiting = new Set<() => void>();

  /** Resolves when a transaction may begin. */
  async turn(): Promise<void> {
    if (this.#reading < MOST) return;
    await new Promise<void>((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(begin, MOST_MS);
      this.#waiting.add(begin);
    });
  }

  /** Counts a transaction until it reads no more; then the next one begins. */
  began(txn: Pick<Txn, 'read'>): void {
    this.#reading += 1;
    void txn.read.then(() => {
      this.#reading -= 1;
      const [next] = this.#waiting;
      next?.();
    });
  }
}
