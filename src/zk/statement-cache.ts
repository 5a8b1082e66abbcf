// Caches statements that recur in many proofs: decoding the points in one takes 10 to 16 ms, a tenth of the time of a short proof.

/** The most statements. Each has about a kilobyte; the statement of a signature over 64 messages has three. */
const MAX_CACHED = 256;

/** The most recent statements by name. */
export class StatementCache {
  readonly #statements = new Map<string, Uint8Array>();

  /** The statement of this name, created by `make` if it is not cached. If `make` returns undefined, so does this, and nothing is cached. */
  of<T extends Uint8Array | undefined>(name: string, make: () => T): T | Uint8Array {
    const cached = this.#statements.get(name);
    if (cached) return cached;
    const statement = make();
    if (statement === undefined) return statement;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= MAX_CACHED) this.#statements.delete(oldest);
    this.#statements.set(name, statement);
    return statement;
  }
}
