// Delivers events from the feed to subscribers, through the groups of their channels. A group executes once and all its
// members get the same bytes. A resuming subscriber first replays the log on its own, then joins the group without a
// gap or a duplicate.
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { Limit } from '../../base/concurrency/limit.js';
import type { StampedEvent } from '../../store/event-port.js';
import { asTheyArrived } from './batches.js';
import { Group } from './group.js';
import { type Counters, Member, type Outlet } from './member.js';
import type { Operation } from './operations.js';
import { RecentPayloads, type Renderer } from './render.js';
import { RenderTurns } from './render-turns.js';
import { Subscription } from './subscription.js';
import { channelsOf, type EventSource, type Topic } from './topic.js';
import { viewerOf } from './viewer.js';

/** Events read from the log at once for one client. */
const STEP = 50;
/** How many clients replay at the same time. The others take turns, step by step. */
const REPLAYS = 16;
/** Executions at the same time for one client's replay. */
const CONCURRENT = 8;

const RETRY_SECONDS = 60;

/** One client's subscription. */
export interface Subscribing {
  operation: Operation;
  topic: Topic;
  caller: Caller;
  outlet: Outlet;
}

/** Groups equal subscriptions and delivers events to them. */
export class FanOut {
  readonly #groups = new Map<string, Group>();
  readonly #channels = new Map<string, Set<Group>>();
  readonly #replays = new Limit({ atOnce: REPLAYS });
  readonly #recent = new RecentPayloads();
  readonly #turns = new RenderTurns();
  /** Groups of anonymous viewers. */
  #anonymousGroups = 0;
  readonly #counters: Counters = {
    deliveries: 0,
    dropped: 0,
    endedSlow: 0,
    replays: 0,
    replayedEvents: 0,
  };
  readonly #stop: () => void;

  /** @param maxAnonymous how many distinct operations all anonymous clients together may subscribe to. */
  constructor(
    private readonly feed: EventSource,
    private readonly renderer: Renderer,
    private readonly maxAnonymous: number,
  ) {
    this.#stop = feed.onEvents((events) => this.#tell(events));
  }

  /** Counts since the process began. */
  get counters(): Counters & { executions: number; groups: number } {
    return { ...this.#counters, executions: this.renderer.executions, groups: this.#groups.size };
  }

  /** Stops listening to events. */
  stop(): void {
    this.#stop();
    for (const group of this.#groups.values()) group.end();
  }

  /**
   * Adds a client to the group of equal subscriptions. The feed must be `ready`.
   * @throws DomainError RATE_LIMITED when anonymous clients already subscribe to too many distinct operations.
   */
  subscribe({ operation, topic, caller, outlet }: Subscribing): Subscription {
    const viewer = viewerOf(caller);
    const key = `${topic.channel} ${viewer.scope} ${operation.key}`;
    const group = this.#groups.get(key) ?? this.#open(key, topic, operation, viewer.caller);
    const member = new Member(outlet, topic.slow, this.#counters, () => void subscription.return());
    group.members.add(member);
    const subscription = new Subscription(() => this.#leave(key, group, member));
    if (topic.hasEnded) void subscription.return();
    else if (topic.after === undefined) member.goLive(this.feed.deliveredSeq);
    else void this.#catchUp(key, group, member, topic.after).catch((error: unknown) => subscription.fail(error));
    return subscription;
  }

  #open(key: string, topic: Topic, operation: Operation, caller: Caller): Group {
    this.#count(caller);
    const render = (events: readonly StampedEvent[]) =>
      this.#turns.run(caller, () => this.renderer.payloadOf({ operation, topic, caller }, events));
    const group = new Group(topic, caller, render, this.feed.deliveredSeq);
    this.#groups.set(key, group);
    const channel = this.#channels.get(topic.channel);
    if (channel) channel.add(group);
    else this.#channels.set(topic.channel, new Set([group]));
    return group;
  }

  #leave(key: string, group: Group, member: Member): void {
    member.leave();
    group.members.delete(member);
    if (group.members.size > 0 || this.#groups.get(key) !== group) return;
    group.end();
    this.#groups.delete(key);
    if (group.viewer.kind === 'anonymous') this.#anonymousGroups -= 1;
    const channel = this.#channels.get(group.topic.channel);
    channel?.delete(group);
    if (channel?.size === 0) this.#channels.delete(group.topic.channel);
  }

  #count({ kind }: Caller): void {
    if (kind !== 'anonymous') return;
    if (this.#anonymousGroups >= this.maxAnonymous) throw tooManyDistinct();
    this.#anonymousGroups += 1;
  }

  #tell(events: readonly StampedEvent[]): void {
    for (const event of events) {
      for (const channel of channelsOf(event)) {
        for (const group of this.#channels.get(channel) ?? []) group.push(event);
      }
    }
  }

  /**
   * Replays the events after `after` to a member. Live events are held meanwhile; if there are too many, they are
   * dropped and read from the log again.
   */
  async #catchUp(key: string, group: Group, member: Member, after: number): Promise<void> {
    let place = after;
    do {
      this.#counters.replays += 1;
      member.hold();
      const upTo = group.delivered;
      while (place < upTo && member.open) place = await this.#step(key, group, member, { place, upTo });
      await member.drained();
    } while (member.open && !member.holdsAll);
    member.goLive(place);
  }

  /** Sends the next events from the log, as fast as the client reads; returns the position that is reached. */
  async #step(key: string, group: Group, member: Member, { place, upTo }: PositionSpan): Promise<number> {
    const events = await this.#replays.run(() => this.feed.replay(group.topic, place, upTo, STEP));
    this.#counters.replayedEvents += events.length;
    const together = asTheyArrived(events, group.topic);
    for (let first = 0; first < together.length && member.open; first += CONCURRENT) {
      const batches = together.slice(first, first + CONCURRENT);
      const payloads = await this.#replays.run(() =>
        Promise.all(batches.map((batch) => this.#recent.get(keyOf(key, batch), () => group.render(batch)))),
      );
      for (const payload of payloads) {
        await member.drained();
        member.send(payload);
      }
    }
    return events.length < STEP ? upTo : (events.at(-1)?.seq ?? upTo);
  }
}

function tooManyDistinct(): DomainError {
  const message = 'Clients without credentials listen with too many different operations right now; try again later.';
  return new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
}

/** Positions after `place`, up to `upTo`. */
interface PositionSpan {
  place: number;
  upTo: number;
}

const keyOf = (key: string, events: readonly StampedEvent[]): string =>
  `${events[0]?.seq} ${events.at(-1)?.seq} ${key}`;
