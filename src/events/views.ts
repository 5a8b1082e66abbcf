// Events in responses: what all have, and the fields and the shape that the table of event types lists (contract §9).
import { z } from 'zod';
import { id, record, shownAs } from '../base/record.js';
import type { PayloadValue, StampedEvent } from '../store/event-port.js';
import { ALL_EVENT_TYPES, eventType } from '../store/event-types.js';

type Fields = Record<string, PayloadValue>;

/** The fields of an event other than id, type and time; the client SDK's own events have them under `result`. */
export function fieldsOf({ type, payload }: StampedEvent): Fields | { result: Fields } {
  const { fields, shape } = eventType(type);
  const members = Object.fromEntries(
    fields.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])),
  );
  return shape === 'result' && fields.length > 0 ? { result: members } : members;
}

/** The members of all events. */
export const networkEvent = record(
  'NetworkEvent',
  'An event. Ids follow commit order; they are the cursors for the `after` of every subscription.',
  {
    id: id.describe('Opaque id of the event. Pass it as `after` to get the later events.'),
    type: z.string().describe('The type of the event, the same as in REST: "stored", "logged_in".'),
    at: shownAs('DateTime', z.iso.datetime()).describe('When it happened.'),
  },
);

/** An event in REST: these members, and the fields of its type. */
export const event = z
  .looseObject({
    ...networkEvent.shape,
    type: z.enum(ALL_EVENT_TYPES).describe('Its type.'),
    userId: z.string().optional().describe("Only in events of a holder's session, for its partner."),
  })
  .meta({ id: 'Event', description: 'Its further fields depend on its type (contract §9).' });
export type EventItem = z.output<typeof event>;

export const eventPage = z.object({
  items: z.array(event).describe('The events of the page, oldest first.'),
  nextAfter: z.string().describe('The `after` of the next page, also if there is nothing new.'),
  hasMore: z.boolean().describe('Whether there are more events now.'),
});

/** An event in REST's form. Partners also see whose session it is, because they have many holders. */
export function eventItem(event: StampedEvent, id: string): EventItem {
  const { type, at, viewers } = event;
  const { group } = eventType(type);
  const whose = group === 'session' && viewers.holderId !== undefined ? { userId: viewers.holderId } : {};
  return { id, type, at: at.toISOString(), ...whose, ...fieldsOf(event) };
}
