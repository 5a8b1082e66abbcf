// What does not work while the gateway serves: said in the log when it begins and when it ends, and listed by readiness meanwhile.
import type { FastifyBaseLogger } from 'fastify';

/** Where parts of the gateway tell that they do not work. */
export interface ProblemReport {
  /** A part does not work; `sentence` is for everybody to read: no address, no name of a partner or holder. The cause is for the log. */
  raise(part: string, sentence: string, cause?: unknown): void;
  /** The part works (again). */
  clear(part: string): void;
}

export class Problems implements ProblemReport {
  readonly #open = new Map<string, string>();

  constructor(private readonly log: Pick<FastifyBaseLogger, 'warn' | 'info'>) {}

  raise(part: string, sentence: string, cause?: unknown): void {
    if (this.#open.get(part) === sentence) return;
    this.#open.set(part, sentence);
    this.log.warn({ part, ...(cause === undefined ? {} : { err: cause }) }, sentence);
  }

  clear(part: string): void {
    if (this.#open.delete(part)) this.log.info({ part }, 'this part works again');
  }

  /** Sentences of what does not work now, each once. */
  list(): string[] {
    return [...new Set(this.#open.values())];
  }
}
