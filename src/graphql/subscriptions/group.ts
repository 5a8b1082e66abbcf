// Equal subscriptions: the operation runs once for each event, and its result goes to all members, in order.
import type { Caller } from '../../base/callers/caller.js';
import type { StampedEvent } from '../../store/event-port.js';
import { removeBatch } from './batches.js';
import type { Member } from './member.js';
import type { Payload } from './payload.js';
import type { Topic } from './topic.js';

/** Executes the group's operation for events that are delivered as one. Never rejects. */
export type Render = (events: readonly StampedEvent[]) => Promise<Payload>;

/** Events executed at the same time; their results are sent in the order of the events. */
const CONCURRENT = 8;
/** Events that may wait for execution. Beyond that, members are disconnected and read them from the log when they reconnect. */
const MAX_WAITING_EVENTS = 10_000;

/** Equal subscriptions, and the events that wait for them. */
export class Group {
  readonly members = new Set<Member>();
  readonly #queue: StampedEvent[] = [];
  #running = 0;
  #last: Promise<void> = Promise.resolve();
  #window: NodeJS.Timeout | undefined;

  /** @param delivered the position up to which every event has been delivered, or precedes the group. */
  constructor(
    readonly topic: Topic,
    /** The viewer that the operation runs as. */
    readonly viewer: Caller,
    readonly render: Render,
    public delivered: number,
  ) {}

  /** Adds an event of the topic's channel. */
  push(event: StampedEvent): void {
    if (!this.topic.matches(event)) return;
    this.#queue.push(event);
    if (this.#queue.length > MAX_WAITING_EVENTS) this.#giveUp();
    else if (this.topic.windowMs === undefined) this.#pump();
    else this.#window ??= setTimeout(() => this.#closeWindow(), this.topic.windowMs);
  }

  /** Whether the group has no members. */
  end(): void {
    clearTimeout(this.#window);
    this.#queue.length = 0;
  }

  #closeWindow(): void {
    this.#window = undefined;
    this.#pump();
  }

  #pump(): void {
    // Events that arrive during an execution are batched for the next one.
    const most = this.topic.windowMs === undefined ? CONCURRENT : 1;
    while (this.#running < most && this.#queue.length > 0) {
      const batch = removeBatch(this.topic, this.#queue);
      this.#running += 1;
      const rendering = this.render(batch);
      this.#last = this.#last.then(async () => this.#deliver(await rendering));
    }
  }

  #deliver(payload: Payload): void {
    this.#running -= 1;
    for (const member of this.members) member.deliver(payload);
    this.delivered = payload.seq;
    this.#pump();
  }

  /** Disconnects all members because executions are slower than events arrive, and the queue would grow. */
  #giveUp(): void {
    this.#queue.length = 0;
    for (const member of [...this.members]) member.endSlow();
  }
}
