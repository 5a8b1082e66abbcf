// Events in responses: the fields and the shape that the table of event types lists (contract §9).

import type { PayloadValue, StampedEvent } from '../store/event-port.js';
import { eventType } from '../store/event-types.js';

type Fields = Record<string, PayloadValue>;

/** The fields of an event beside id, type and time; the client SDK's own events have them under `result`. */
export function fieldsOf({ type, payload }: StampedEvent): Fields | { result: Fields } {
  const { fields, shape } = eventType(type);
  const members = Object.fromEntries(
    fields.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])),
  );
  return shape === 'result' && fields.length > 0 ? { result: members } : members;
}

/** An event as clients of REST get it; its own fields beside these three. */
export interface EventItem extends Record<string, unknown> {
  id: string;
  type: string;
  at: string;
}

/** An event in REST's form. Partners also see whose session it is, because they have many holders. */
export function eventItem(event: StampedEvent, id: string): EventItem {
  const { type, at, viewers } = event;
  const { group } = eventType(type);
  const whose = group === 'session' && viewers.holderId !== undefined ? { userId: viewers.holderId } : {};
  return { id, type, at: at.toISOString(), ...whose, ...fieldsOf(event) };
}
