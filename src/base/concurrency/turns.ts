// Turns of the event loop: what arrives in one burst is handled for a few milliseconds at a time, with other work in between.

/** How long tasks may run in one turn, milliseconds. */
const TURN_MS = 2;

/** Runs tasks in order, in turns with the rest of the process. */
export class Turns {
  #tasks: (() => void)[] = [];

  /** Runs a task soon, after those that wait. It must not throw. */
  add(task: () => void): void {
    this.#tasks.push(task);
    if (this.#tasks.length === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const until = performance.now() + TURN_MS;
    let count = 0;
    // Tasks that are added by these wait for the next turn.
    for (const task of this.#tasks.slice()) {
      task();
      count += 1;
      if (performance.now() >= until) break;
    }
    this.#tasks = this.#tasks.slice(count);
    if (this.#tasks.length > 0) setImmediate(() => this.#run());
  }
}
