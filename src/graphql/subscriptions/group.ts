// All who listen to the same thing with the same operation: each event is executed once and its answer sent to everyone, in order.
import type { Caller } from '../../base/caller.js';
import type { StampedEvent } from '../../store/event-port.js';
import { takeTogether } from './batches.js';
import type { Member } from './member.js';
import type { Payload } from './payload.js';
import type { Topic } from './topic.js';

/** Executes the group's operation for events that arrive as one. Never rejects. */
export type Render = (events: readonly StampedEvent[]) => Promise<Payload>;

/** Events executed at the same time; their answers leave in the order of the events. */
const CONCURRENT = 8;
/** Events that may wait for execution. Beyond, whoever listens shall come back and read them from the log. */
const MAX_WAITING_EVENTS = 10_000;

export class Group {
  readonly members = new Set<Member>();
  readonly #waiting: StampedEvent[] = [];
  #running = 0;
  #last: Promise<void> = Promise.resolve();
  #window: NodeJS.Timeout | undefined;

  /** @param delivered the place up to which every event has been delivered, or is from before the group. */
  constructor(
    readonly topic: Topic,
    /** As whom the operation is executed. */
    readonly viewer: Caller,
    readonly render: Render,
    public delivered: number,
  ) {}

  /** An event of the topic's channel. */
  push(event: StampedEvent): void {
    if (!this.topic.matches(event)) return;
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING_EVENTS) this.#giveUp();
    else if (this.topic.windowMs === undefined) this.#pump();
    else this.#window ??= setTimeout(() => this.#closeWindow(), this.topic.windowMs);
  }

  /** Nobody listens any more. */
  end(): void {
    clearTimeout(this.#window);
    this.#waiting.length = 0;
  }

  #closeWindow(): void {
    this.#window = undefined;
    this.#pump();
  }

  #pump(): void {
    // Where events arrive as one, those that come during an execution are the next one's.
    const most = this.topic.windowMs === undefined ? CONCURRENT : 1;
    while (this.#running < most && this.#waiting.length > 0) {
      const taken = takeTogether(this.topic, this.#waiting);
      this.#running += 1;
      const rendering = this.render(taken);
      this.#last = this.#last.then(async () => this.#deliver(await rendering));
    }
  }

  #deliver(payload: Payload): void {
    this.#running -= 1;
    for (const member of this.members) member.deliver(payload);
    this.delivered = payload.seq;
    this.#pump();
  }

  /** Executions do not keep up with events: memory must not pay for it. */
  #giveUp(): void {
    this.#waiting.length = 0;
    for (const member of [...this.members]) member.endSlow();
  }
}
