// POST /v1/admin/mirrors: one run over another network, whose response is a stream.
import { Readable } from 'node:stream';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { TEXT } from '../../http/routes/shapes.js';
import { pause } from '../../store/lease.js';
import type { Mirrors } from './mirror.js';
import { type MirrorRequest, mirrorRequest } from './mirror-record.js';

const NDJSON = 'application/x-ndjson';
/** Sent this often, milliseconds, because connections that are idle for two minutes are closed. */
const BEAT_MS = 5_000;

/** The route of a run. */
export function mirrorRoutes({ mirrors }: { mirrors: Mirrors }): AnyRoute[] {
  return [
    route<unknown, unknown, MirrorRequest>({
      method: 'POST',
      path: '/v1/admin/mirrors',
      summary:
        'Take over the catalog of another network; returns NDJSON with each entry that is not unchanged, and the totals last',
      auth: 'operator',
      role: 'catalog',
      body: mirrorRequest,
      produces: NDJSON,
      answers: { 200: TEXT },
      fails: { 409: 'This network is already being mirrored.' },
      async handle({ caller, body: request }) {
        const interrupted = new AbortController();
        const reports = mirrors.run(caller, request, interrupted.signal);
        // The first step refuses requests that cannot run. After it, the response status is sent.
        const begun = await reports.next();
        return { contentType: NDJSON, body: Readable.from(lines(begun.value, reports, interrupted)) };
      },
    }),
  ];
}

/** Reports as lines. Empty lines keep the connection open while there is nothing to report. */
async function* lines(begun: object, reports: AsyncGenerator<object>, end: AbortController): AsyncGenerator<string> {
  try {
    yield lineOf(begun);
    let next = reports.next();
    let beat = pause(BEAT_MS, end.signal);
    for (;;) {
      const step = await Promise.race([next, beat]);
      if (step?.done) return;
      yield step ? lineOf(step.value) : '\n';
      if (step) next = reports.next();
      else beat = pause(BEAT_MS, end.signal);
    }
  } finally {
    end.abort();
    await reports.return(undefined);
  }
}

const lineOf = (report: object): string => `${JSON.stringify(report)}\n`;
