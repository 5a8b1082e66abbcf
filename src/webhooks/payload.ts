// What endpoints receive of an event: the payload, the delivery's id, and the subject whose deliveries are in order.
import { createHash } from 'node:crypto';
import type { EventFeed } from '../events/event-feed.service.js';
import type { StampedEvent } from '../store/event-port.js';
import { eventType } from '../store/event-types.js';

/** Fields of a payload that identify the subject of an event, the most specific first. */
const SUBJECTS = ['verificationId', 'coreClaimHash', 'storagePath', 'jobId'] as const;

/** The subject of an event: one credential, verification or batch; otherwise its holder, otherwise its group of types. */
export function subjectOf({ type, viewers, payload }: StampedEvent): string {
  for (const field of SUBJECTS) if (typeof payload[field] === 'string') return `${field}:${payload[field]}`;
  return viewers.holderId === undefined ? `group:${eventType(type).group}` : `holder:${viewers.holderId}`;
}

/** The id of an event's delivery to an endpoint. */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  return `msg_${createHash('sha256').update(`${webhookId} ${eventId}`).digest('base64url').slice(0, 27)}`;
}

/** The signed text: `{type, timestamp, data}`, where `data` is the event as GET /v1/events has it. */
export const payloadOf = (data: ReturnType<EventFeed['itemOf']>): string =>
  JSON.stringify({ type: data.type, timestamp: data.at, data });
