// The cached response to a GET of REST, before the request is routed.
import { tagHeaders } from '../cache/cached-response.js';
import type { CachedResponse, ResponseCache } from '../cache/response-cache.js';
import { pointHeaders } from '../callers/charges.js';
import type { EarlyAnswer, EarlyRequest } from '../requests/early.js';
import { envelopeOf, envelopeOfText } from '../responses/envelope.js';

/** Bytes of the longest response that is sent as text: in one piece with its headers. Copying longer ones costs more than a second piece. */
const MAX_TEXT = 4_096;

/** The response, if there is one. @param now the time of the envelope, milliseconds since the epoch. */
export function earlyAnswer(request: EarlyRequest, answers: ResponseCache, now: number): EarlyAnswer | undefined {
  const entry = answers.hit(request.raw.url ?? '');
  if (!entry) return undefined;
  request.pay();
  const headers: string[] = [];
  for (const [name, value] of pointHeaders(request.bucket)) headers.push(name, value);
  for (const [name, value] of tagHeaders(entry)) headers.push(name, value);
  return { route: entry.route, body: bodyOf(entry, now), headers };
}

function bodyOf({ body, isAscii }: CachedResponse, now: number): Buffer | string {
  const isText = isAscii && body.length <= MAX_TEXT;
  return isText ? envelopeOfText(body.toString('latin1'), now) : envelopeOf(body, now);
}
