// Two clients of the event log, who reconnect to any gateway, and a webhook: what each of them has got is compared with the log.
import { expect } from 'vitest';
import { ALL_EVENT_TYPES } from '../../../src/store/event-types.js';
import { ResumingClient } from '../../events/resuming-client.js';
import { eventually } from '../../support/eventually.js';
import { OPERATOR_KEY } from '../../support/gateway-process.js';
import { Receiver } from '../../webhooks/receiver.js';
import { register } from '../../webhooks/support.js';
import { dice } from '../network.js';
import type { Claims } from './claims.js';
import type { Gateway, Gateways } from './gateways.js';
import { pick, type Roll } from './writes.js';

const OPERATOR = { 'x-admin-api-key': OPERATOR_KEY };
const TYPES = ALL_EVENT_TYPES.join();
/** What the webhook is sent. */
const SENT = ['submitted', 'stored', 'revoked', 'expired', 'verification_closed', 'offer_created', 'offer_closed'];

interface LoggedEvent {
  id: string;
  type: string;
  coreClaimHash?: string;
  verificationId?: string;
  offerId?: string;
}

/** Whom the order of deliveries is promised for. */
const subjectOf = ({ verificationId, offerId, coreClaimHash }: LoggedEvent): string | undefined =>
  verificationId ?? offerId ?? coreClaimHash;

export class Followers {
  private constructor(
    private readonly gateways: Gateways<Gateway>,
    private readonly claims: Claims,
    private readonly clients: readonly ResumingClient[],
    private readonly receiver: Receiver,
    private readonly after: string,
    /** How many holders had been erased before. */
    private readonly erased: number,
  ) {}

  /** Begins after the newest event. */
  static async start(gateways: Gateways<Gateway>, claims: Claims, roll: Roll): Promise<Followers> {
    const { nextAfter } = await pagesAfter(gateways, undefined, OPERATOR, TYPES);
    const receiver = await new Receiver().start();
    await register(claims.partner.rest, receiver, { types: SENT });
    const choose = [dice(roll(2 ** 30)), dice(roll(2 ** 30))];
    const clients = choose.map(
      (own) => new ResumingClient(() => pick(gateways.all, own).url, OPERATOR, nextAfter, TYPES),
    );
    return new Followers(gateways, claims, clients, receiver, nextAfter, claims.counts.erased);
  }

  /** One of the clients loses its connection. */
  cut(roll: Roll): void {
    pick(this.clients, roll).reconnect();
  }

  /** Each event has come once, in the order of the log. */
  async compare(): Promise<void> {
    await eventually(async () => {
      const { events } = await pagesAfter(this.gateways, this.after, OPERATOR, TYPES);
      const ids = events.map(({ id }) => id);
      for (const { seen } of this.clients) expect(seen.map(({ id }) => id)).toEqual(ids);
    });
    await eventually(() => this.#compareDeliveries());
  }

  async #compareDeliveries(): Promise<void> {
    const headers = { 'x-partner-auth': await this.claims.partner.token() };
    const { events } = await pagesAfter(this.gateways, this.after, headers, SENT.join());
    const received: LoggedEvent[] = this.receiver.received.map(({ data }) => data);
    const ids = received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // Deliveries that wait are deleted with their holder.
    const logged = this.claims.counts.erased > this.erased ? events.filter(({ id }) => ids.includes(id)) : events;
    expect(idsBySubject(received)).toEqual(idsBySubject(logged));
    expect(this.receiver.forged).toEqual([]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
    await this.receiver.stop();
  }
}

function idsBySubject(events: readonly LoggedEvent[]): Map<string | undefined, string[]> {
  const ids = new Map<string | undefined, string[]>();
  for (const event of events) ids.set(subjectOf(event), [...(ids.get(subjectOf(event)) ?? []), event.id]);
  return ids;
}

/** All events after one, page by page, each from another gateway. */
async function pagesAfter(
  { all }: Gateways<Gateway>,
  after: string | undefined,
  headers: Record<string, string>,
  types: string,
) {
  const events: LoggedEvent[] = [];
  let nextAfter = after;
  for (let page = 0; ; page += 1) {
    const query = new URLSearchParams({ types, limit: '100', ...(nextAfter && { after: nextAfter }) });
    const { body } = await (all[page % all.length] as Gateway).rest('GET', `/v1/events?${query}`, {
      headers,
    });
    events.push(...body.items);
    nextAfter = body.nextAfter as string;
    if (!body.hasMore) return { events, nextAfter };
  }
}
