// Calls of the page: those that it may abort, and those that share one run.

/** Calls that the page may abort, by the numbers that it gives them. */
export class PageCalls {
  readonly #running = new Map<number, AbortController>();

  /** Runs an operation for a call. @param call its number; undefined: the page cannot abort it */
  async run<T>(call: number | undefined, operation: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    if (call === undefined) return operation();
    const ending = new AbortController();
    this.#running.set(call, ending);
    try {
      return await operation(ending.signal);
    } finally {
      this.#running.delete(call);
    }
  }

  abort(call: number): void {
    this.#running.get(call)?.abort();
  }
}

interface Run {
  ending: AbortController;
  /** How many calls wait for it that were not aborted. */
  waiting: number;
  result: Promise<unknown>;
}

/** Operations of which one runs at a time: calls meanwhile share it. It ends early once all of them are aborted. */
export class SharedRuns {
  readonly #running = new Map<string, Run>();

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Runs an operation, unless it runs. @param signal aborts this call. @returns the result that all calls share */
  run<T>(name: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const run = this.#running.get(name) ?? this.#start(name, start);
    run.waiting += 1;
    const leave = (): void => {
      run.waiting -= 1;
      if (run.waiting > 0) return;
      this.#end(name, run);
      run.ending.abort();
    };
    signal?.addEventListener('abort', leave, { once: true });
    return run.result as Promise<T>;
  }

  #start(name: string, start: (signal: AbortSignal) => Promise<unknown>): Run {
    const ending = new AbortController();
    const run: Run = { ending, waiting: 0, result: start(ending.signal).finally(() => this.#end(name, run)) };
    this.#running.set(name, run);
    return run;
  }

  #end(name: string, run: Run): void {
    if (this.#running.get(name) === run) this.#running.delete(name);
  }
}
