// Reads the event log in this process, woken by the change feed. Events are delivered only after the change feed has reported them: it calls
// caches first, so they have dropped stale entries before anyone receives the event.

import { badInput, DomainError } from '../base/errors.js';
import type { Topic } from '../graphql/subscriptions/topic.js';
import type { ChangeListener, StoreChange } from '../store/change-feed.js';
import type { StampedEvent } from '../store/event-port.js';
import { pause } from '../store/lease.js';
import { Bell } from '../base/concurrency/bell.js';
import { EventIds } from './event-id.js';
import type { EventLog } from './event-log.js';
import type { LogState } from './log-state.js';
import { type EventItem, eventItem } from './views.js';

/** Receives events in order of their sequence numbers, each once. Must not throw. */
export type EventListener = (events: readonly StampedEvent[]) => void;

/** Most rows of one read. */
const BATCH = 1_000;
const RETRY_MS = 500;

export interface EventFeedOptions {
  log: EventLog;
  state: LogState;
  onError(error: unknown): void;
}

/** Reads the event log and calls the listeners of this process. */
export class EventFeed {
  readonly #listeners = new Set<EventListener>();
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  #running: Promise<void> = Promise.resolve();
  #ids: EventIds | undefined;
  #deliveredSeq = 0;
  /** The newest sequence number that the change feed has reported. */
  #reported = 0;
  /** Whether the change feed may have missed events, so that the newest number must be read from the log. */
  #unsure = false;
  #opened: () => void = () => {};
  /** Resolves when the feed knows its position. */
  readonly ready = new Promise<void>((resolve) => {
    this.#opened = resolve;
  });

  constructor(private readonly options: EventFeedOptions) {}

  /** The listener for the collection `events`. Its events cause subscriptions to be executed. */
  readonly changes: ChangeListener = {
    readsCaches: true,
    // A row is delivered only after the update that sets its sequence number.
    ignores: ['insert', 'delete'],
    changed: (changes: readonly StoreChange[]) => {
      for (const { set } of changes)
        if (typeof set?.seq === 'number') this.#reported = Math.max(this.#reported, set.seq);
      this.#bell.ring();
    },
    interrupted: () => {
      this.#unsure = true;
      this.#bell.ring();
    },
  };

  /** Seconds from the newest delivered event's commit to its delivery here. */
  lagSeconds = 0;

  /** The newest sequence number that listeners have received. */
  get deliveredSeq(): number {
    return this.#deliveredSeq;
  }

  /** How many events listeners have not received yet. */
  async behind(): Promise<number> {
    return Math.max(0, (await this.newestSeq()) - this.#deliveredSeq);
  }

  /** The newest sequence number, which listeners may not have received yet. */
  newestSeq(): Promise<number> {
    return this.options.state.newestSeq();
  }

  /** The sequence number before the oldest event in the log; the newest number when the log is empty. */
  async seqBeforeOldest(): Promise<number> {
    const { log } = this.options;
    const before = await log.oldest();
    if (before !== undefined) return before.seq - 1;
    const newest = await this.newestSeq();
    // Read again: an event may have been added since the log was empty.
    const oldest = await log.oldest();
    return oldest === undefined ? newest : oldest.seq - 1;
  }

  /** Aborts when the feed ends: its followers must then end too. */
  get ended(): AbortSignal {
    return this.#stop.signal;
  }

  /** Calls a listener for every event from now on; returns a function that stops it. */
  onEvents(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts after the newest event. */
  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The event id of a sequence number. Only after the feed is `ready`. */
  idOf(seq: number): string {
    if (this.#ids === undefined) throw new Error('the event feed has not begun');
    return this.#ids.idOf(seq);
  }

  /** An event as REST serves it. Only after the feed is `ready`. */
  itemOf(event: StampedEvent): EventItem {
    return eventItem(event, this.idOf(event.seq));
  }

  /**
   * The sequence number of an id after which the log is complete.
   * @throws DomainError BAD_USER_INPUT for a text that is not an id of this log, EVENT_HISTORY_LOST when later events have expired.
   */
  async seqOf(after: string): Promise<number> {
    await this.ready;
    const seq = this.#ids?.seqOf(after);
    const newest = await this.options.state.newestSeq();
    if (seq === undefined || seq > newest) throw badInput('"after" is not the id of an event of this log.', 'after');
    if (seq < newest) await this.#requireKept(seq);
    return seq;
  }

  /**
   * The events of a topic after `after` up to `upTo`, in order, at most `limit`.
   * @throws DomainError EVENT_HISTORY_LOST when some of them expired while they were read.
   */
  async replay({ filter }: Pick<Topic, 'filter'>, after: number, upTo: number, limit: number): Promise<StampedEvent[]> {
    if (after >= upTo) return [];
    const events = await this.options.log.between(after, upTo, limit, filter);
    // Checked after reading, so that rows that expired in between are noticed.
    await this.#requireKept(after);
    return events;
  }

  /** @throws DomainError EVENT_HISTORY_LOST unless every event after this position, which is not the newest, is still in the log. */
  async #requireKept(seq: number): Promise<void> {
    if (await this.options.log.keeps(seq + 1)) return;
    const oldest = this.idOf(await this.seqBeforeOldest());
    const sentence = `Events after this one have expired; the stored events come after ${oldest}.`;
    throw new DomainError('EVENT_HISTORY_LOST', sentence, { field: 'after', oldest });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (this.#ids === undefined) await this.#begin();
        await this.#read();
      } catch (error) {
        if (signal.aborted) return;
        this.#unsure = true;
        this.options.onError(error);
        await pause(RETRY_MS, signal);
        continue;
      }
      await this.#bell.rung(signal);
    }
  }

  async #begin(): Promise<void> {
    const { state } = this.options;
    const ids = new EventIds(await state.idKey());
    this.#deliveredSeq = await state.newestSeq();
    this.#ids = ids;
    this.#opened();
  }

  async #read(): Promise<void> {
    const { log, state } = this.options;
    if (this.#unsure) {
      this.#unsure = false;
      this.#reported = Math.max(this.#reported, await state.newestSeq());
    }
    while (this.#deliveredSeq < this.#reported && !this.#stop.signal.aborted) {
      const upTo = this.#reported;
      const events = await log.between(this.#deliveredSeq, upTo, BATCH);
      this.#deliveredSeq = events.length === BATCH ? (events.at(-1)?.seq ?? upTo) : upTo;
      const last = events.at(-1);
      if (last === undefined) continue;
      this.lagSeconds = Math.max(0, Date.now() - last.at.getTime()) / 1_000;
      for (const listener of this.#listeners) listener(events);
    }
  }
}
