// /v1/events (contract §9): pages of the caller's own events, or a stream of them; public ones when `types` names them.
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { PAGE_SIZE, pageLimit } from '../base/input.js';
import { names, qualityOf } from '../http/requests/accept.js';
import { JSON_TYPE } from '../http/requests/bodies.js';
import type { Clients } from '../http/callers/clients.js';
import { type AnyRoute, type RouteAnswer, type RouteInput, route } from '../http/routes/route.js';
import type { EventFeed } from './event-feed.service.js';
import { EVENT_STREAM_TYPE, LogStream } from './event-stream.js';
import type { EventTopics } from './topics.service.js';
import { eventPage } from './views.js';

const eventsQuery = z.strictObject({
  after: z.string().min(1, 'must be the id of an event').optional(),
  types: z
    .string()
    .transform((text) => text.split(',').map((type) => type.trim()))
    .optional(),
  limit: pageLimit().unwrap().optional(),
});

type EventsQuery = z.output<typeof eventsQuery>;
type EventsInput = RouteInput<unknown, EventsQuery, unknown>;

export interface EventRouteServices {
  eventFeed: EventFeed;
  eventTopics: EventTopics;
}

/** The one route of events. */
export function eventsRoutes(services: EventRouteServices, clients: Clients): AnyRoute[] {
  return [
    route<unknown, EventsQuery, unknown>({
      method: 'GET',
      path: '/v1/events',
      summary: "The caller's own events in order, after `after`; a stream if text/event-stream is accepted",
      auth: ['partner', 'holder', 'operator'],
      query: eventsQuery,
      headers: ['last-event-id'],
      answers: { 200: eventPage },
      fails: {
        404: 'Events of the catalog were requested, and the catalog is closed.',
        410: 'Events after this id have expired.',
      },
      produces: [JSON_TYPE, EVENT_STREAM_TYPE],
      endless: true,
      handle: (input) => (wantsStream(input) ? stream(services, clients, input) : page(services, input)),
    }),
  ];
}

/** Whether the client prefers a stream to a page. If it accepts both equally, it must name the stream's type. */
function wantsStream({ headers: { accept } }: EventsInput): boolean {
  if (accept === undefined) return false;
  const [stream, page] = [qualityOf(accept, EVENT_STREAM_TYPE), qualityOf(accept, JSON_TYPE)];
  return stream > page || (stream === page && names(accept, EVENT_STREAM_TYPE));
}

/**
 * A page. Without `after`, it begins with the oldest event. `nextAfter` is the position where the next page begins,
 * even if there is nothing new.
 */
async function page({ eventFeed, eventTopics }: EventRouteServices, input: EventsInput): Promise<RouteAnswer> {
  const { after, types, limit = PAGE_SIZE.most } = input.query;
  const topic = await eventTopics.viewable(input.caller, types, after);
  const newest = await eventFeed.newestSeq();
  const from = topic.after ?? (await eventFeed.seqBeforeOldest());
  const events = await eventFeed.replay(topic, from, newest, limit + 1);
  const items = events.slice(0, limit);
  const hasMore = events.length > limit;
  const last = hasMore ? (items.at(-1)?.seq ?? newest) : newest;
  const entries = items.map((event) => eventFeed.itemOf(event));
  return { body: { items: entries, nextAfter: eventFeed.idOf(last), hasMore } };
}

/**
 * A stream. It begins with new events, or after the last event that the client received: the header of a reconnection
 * is newer than the URL.
 */
async function stream(
  { eventFeed, eventTopics }: EventRouteServices,
  clients: Clients,
  { caller, query, headers, now, address }: EventsInput,
): Promise<RouteAnswer> {
  const after = headers['last-event-id'] || query.after;
  const topic = await eventTopics.viewable(caller, query.types, after);
  const identity = clients.identityOf(caller, headers);
  const seat = clients.seat(identity, address);
  const body = new LogStream({ feed: eventFeed, clients, identity, topic, lifeMs: expiryOf(caller) - now });
  clients.add(body, seat);
  body.once('close', () => clients.delete(body));
  return { contentType: EVENT_STREAM_TYPE, headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }, body };
}

const expiryOf = (caller: Caller): number => ('expiresAt' in caller ? caller.expiresAt : Number.POSITIVE_INFINITY);
