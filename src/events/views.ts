// Events as they go out: the fields that the table names, in the shape that the table says (contract §9).

import type { PayloadValue, StampedEvent } from '../store/event-port.js';
import { eventType } from '../store/event-types.js';

type Fields = Record<string, PayloadValue>;

/** What an event says beside id, type and time; the source's own events say it under `result`. */
export function fieldsOf({ type, payload }: StampedEvent): Fields | { result: Fields } {
  const { fields, shape } = eventType(type);
  const members = Object.fromEntries(
    fields.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])),
  );
  return shape === 'result' && fields.length > 0 ? { result: members } : members;
}

/** An event in REST's form. Partners also see whose session it is, because they have many holders. */
export function eventItem(event: StampedEvent, id: string): Record<string, unknown> {
  const { type, at, viewers } = event;
  const { group } = eventType(type);
  const whose = group === 'session' && viewers.holderId !== undefined ? { userId: viewers.holderId } : {};
  return { id, type, at: at.toISOString(), ...whose, ...fieldsOf(event) };
}
