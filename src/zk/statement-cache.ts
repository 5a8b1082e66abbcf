// Statements that recur from proof to proof: reading the points in them takes 10 to 16 ms, as long as a tenth of a short proof.

/** Each is about a kilobyte, that of a signature over 64 messages three. */
const MAX_CACHED = 256;

/** The latest statements by what they are about. */
export class StatementCache {
  readonly #statements = new Map<string, Uint8Array>();

  /** The statement of this name, made when it is not there; undefined, and not cached, when `make` returns undefined. */
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
