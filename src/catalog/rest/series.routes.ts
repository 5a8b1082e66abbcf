// GET /v1/catalog/{credentials,programs}/{id}/series: traction over time (contract §2).
import { z } from 'zod';
import { DomainError } from '../../base/errors.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import type { CatalogService } from '../reading/catalog.js';
import { type EntryParams, entryParams } from '../records/entry-params.js';
import type { TractionSeries } from '../traction/series.js';
import { seriesRange, seriesSize } from '../traction/series-range.js';
import { programTractionBucket, type SeriesInput, seriesInput, tractionBucket } from '../traction/series-record.js';
import { type TractionKind, tractionEntry } from '../traction/traction.js';
import { bucketsOf, type TractionRun } from '../traction/traction-runs.js';

export interface SeriesRouteServices {
  catalog: CatalogService;
  tractionSeries: TractionSeries;
}

const REQUEST_POINTS = 4;
const BUCKETS_PER_POINT = 10;

const KINDS = [
  ['credentials', 'credential'],
  ['programs', 'program'],
] as const;

/** Issuances are events of credentials, verifications are events of programs. */
const bucketOf = (kind: TractionKind, { from, to, issued, holders, verified }: TractionRun) =>
  kind === 'program' ? { from, to, holders, verified } : { from, to, issued, holders };

const BUCKETS = { credential: tractionBucket, program: programTractionBucket };

/** A route for each kind with traction. */
export function seriesRoutes({ catalog, tractionSeries }: SeriesRouteServices): AnyRoute[] {
  return KINDS.map(([kind, noun]) =>
    route<EntryParams, SeriesInput, unknown>({
      method: 'GET',
      path: `/v1/catalog/${kind}/:id/series`,
      summary: `Traction of one ${noun} over time`,
      auth: 'public',
      catalog: true,
      cacheable: true,
      params: entryParams,
      query: seriesInput,
      answers: { 200: z.object({ series: z.array(BUCKETS[noun]) }) },
      fails: { 404: `The ${noun} is unknown or retired.` },
      points: ({ query: asked }) => REQUEST_POINTS + seriesSize({ ...asked }) / BUCKETS_PER_POINT,
      async handle({ params: { id }, query: { bucket, ...days }, reads }) {
        const range = seriesRange(days);
        const [row] = await catalog.for(reads).byIds(kind, [id]);
        if (!row) throw new DomainError('NOT_FOUND', `The ${noun} ${id} was not found.`);
        const [runs = []] = await tractionSeries.for(reads).runs([tractionEntry(noun, id)], range);
        return { body: { series: bucketsOf(runs, bucket).map((run) => bucketOf(noun, run)) } };
      },
    }),
  );
}
