// Problems: parts of the gateway that do not work although it serves requests. A problem is logged when it begins and ends, and listed by
// `/health/ready` in between.
import type { FastifyBaseLogger } from 'fastify';

/** Where parts of the gateway report their problems. */
export interface ProblemReport {
  /** A part does not work. `sentence` is public: no address, no name of a partner or holder. The cause is only logged. */
  raise(part: string, sentence: string, cause?: unknown): void;
  /** The part works, or works again. */
  clear(part: string): void;
}

/** The problems of this process. */
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

  /** The sentences of the current problems, each once. */
  list(): string[] {
    return [...new Set(this.#open.values())];
  }
}
