// The refusals that routes have in common, by status. A route's row determines which of them it has (contract §1).
import type { AnyRoute } from '../routes/route.js';
import { named, object, type Shape, TEXT } from '../routes/shapes.js';

const STATUS: Shape = { type: 'integer', minimum: 400, maximum: 599 };

/** The body of every refusal. */
export const ERROR = named('Error', object({ error: STATUS, message: TEXT }));
/** The same for clients that prefer problem details (RFC 9457). */
export const PROBLEM = named('Problem', object({ type: TEXT, title: TEXT, status: STATUS, detail: TEXT }));

/** Descriptions of refusals. A row's `fails` has further details. */
export const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The input is wrong. The message names the first such field.',
  401: 'The request has no credentials.',
  403: 'The token is not valid, or its caller may not do this; or CORS does not allow the origin.',
  404: 'The id is unknown.',
  406: 'The Accept header excludes the media types of the response.',
  409: 'The request conflicts with the present state.',
  410: 'It existed and is gone.',
  412: 'The entry is not the one that if-match names.',
  413: 'The body is over its limit.',
  415: 'The media type of the body does not fit.',
  422: 'The idempotency key was used before with another body.',
  429: 'Too many requests. Retry-After says when to try again.',
  500: 'A fault of the gateway.',
  503: 'The gateway cannot do this now. Retry-After says when to try again.',
};

const ALWAYS = [400, 403, 406, 500, 503];

/** The statuses that a route may refuse with, in order. */
export function refusalsOf(row: AnyRoute): number[] {
  const { auth, method, headers = [], catalog, neverWaits, fails = {} } = row;
  const statuses = [
    ...ALWAYS,
    ...(auth === 'public' ? [] : [401]),
    ...(catalog ? [404] : []),
    // A body is checked also on routes that expect none.
    ...(method === 'GET' ? [] : [413, 415]),
    ...(headers.includes('if-match') ? [412] : []),
    ...(headers.includes('idempotency-key') ? [409, 422] : []),
    ...(neverWaits ? [] : [429]),
    ...Object.keys(fails).map(Number),
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}
