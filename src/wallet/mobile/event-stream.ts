// Events as an AsyncIterable. Each iteration has a queue of its own, which begins with it.

/** How many events may wait for an iteration. */
const MAX_WAITING = 1_000;

/** Ends an iteration. */
type Wake = () => void;

interface Queue<T> {
  events: T[];
  state: 'open' | 'ended' | 'full';
  wake: Wake;
}

/** A stream that any number of iterations read. */
export class EventStream<T> implements AsyncIterable<T> {
  readonly #queues = new Set<Queue<T>>();

  push(event: T): void {
    for (const queue of this.#queues) {
      if (queue.events.length < MAX_WAITING) queue.events.push(event);
      else queue.state = 'full';
      queue.wake();
    }
  }

  /** Ends every iteration, once it has read what waits. */
  end(): void {
    for (const queue of this.#queues) {
      if (queue.state === 'open') queue.state = 'ended';
      queue.wake();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    const queue: Queue<T> = { events: [], state: 'open', wake: () => {} };
    this.#queues.add(queue);
    return this.#read(queue);
  }

  async *#read(queue: Queue<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        if (queue.state === 'full') throw new Error(`More than ${MAX_WAITING} events wait: read them faster.`);
        const event = queue.events.shift();
        if (event !== undefined) yield event;
        else if (queue.state === 'ended') return;
        else
          await new Promise<void>((resolve) => {
            queue.wake = resolve;
          });
      }
    } finally {
      this.#queues.delete(queue);
    }
  }
}
