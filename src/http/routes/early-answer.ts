// The cached response to a GET of REST, before the request is routed.
import { tagHeaders } from '../cache/cached-response.js';
import type { ResponseCache } from '../cache/response-cache.js';
import { pointHeaders } from '../callers/charges.js';
import type { EarlyAnswer, EarlyRequest } from '../requests/early.js';
import { envelopeOf } from '../responses/envelope.js';

/** The response, if there is one. @param now the time of the envelope, milliseconds since the epoch. */
export function earlyAnswer(request: EarlyRequest, answers: ResponseCache, now: number): EarlyAnswer | undefined {
  const entry = answers.hit(request.raw.url ?? '');
  if (!entry) return undefined;
  request.pay();
  const headers = [...pointHeaders(request.bucket), ...tagHeaders(entry)].flat();
  return { route: entry.route, body: envelopeOf(entry.body, now), headers };
}
