// /v1/admin/mirrors: one run over another network, and the newest run of each.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { listOf, object, TEXT } from '../../http/routes/shapes.js';
import { pause } from '../../store/lease.js';
import type { MirrorRequest, Mirrors } from './mirror.js';
import { mirrorRun, viewOf } from './mirror-record.js';

const NDJSON = 'application/x-ndjson';
/** Connections that are idle for two minutes are closed. */
const BEAT_MS = 5_000;

const body = z.strictObject({
  from: z.string().min(1).max(2_000),
  full: z.boolean().default(false),
  overwrite: z.boolean().default(false),
});

/** All routes under /v1/admin/mirrors. */
export function mirrorRoutes({ mirrors }: { mirrors: Mirrors }): AnyRoute[] {
  return [
    route<unknown, unknown, MirrorRequest>({
      method: 'POST',
      path: '/v1/admin/mirrors',
      summary:
        'Take over the catalog of another network; returns NDJSON with each entry that is not unchanged, and the totals last',
      auth: 'operator',
      role: 'catalog',
      body,
      produces: NDJSON,
      answers: { 200: TEXT },
      fails: { 409: 'This network is already being mirrored.' },
      async handle({ caller, body: request }) {
        const interrupted = new AbortController();
        const reports = mirrors.run(caller, request, interrupted.signal);
        // The first step refuses what cannot run; after it, the status is sent.
        const begun = await reports.next();
        return { contentType: NDJSON, body: Readable.from(lines(begun.value, reports, interrupted)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/admin/mirrors',
      summary: 'The newest run of each mirrored network',
      auth: 'operator',
      answers: { 200: object({ data: listOf(mirrorRun) }) },
      handle: async ({ caller }) => ({ body: { data: (await mirrors.list(caller)).map(viewOf) } }),
    }),
  ];
}

/** Reports as lines; empty ones keep the connection while nothing is reported. */
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
