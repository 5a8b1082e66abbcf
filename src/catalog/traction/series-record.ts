// Traction over time, for clients: the range that they ask for, and its buckets.
import { z } from 'zod';
import { choice, defaulted, record, safeCount } from '../../base/record.js';

const bucketSize = choice(
  'TractionBucketSize',
  'The length of buckets. A bucket is longer if fewer than 5 holders were new.',
  { DAY: 'A day.', WEEK: 'A week that begins on Monday.', MONTH: 'A month.' },
);

export const seriesInput = z.strictObject({
  from: z.string().describe('The first day on which a bucket may end, like "2026-01-01"; UTC.'),
  to: z.string().describe('The last day on which a bucket may end; at most 366 days.'),
  bucket: defaulted(bucketSize.default('DAY')).describe('The smallest length of a bucket.'),
});
export type SeriesInput = z.output<typeof seriesInput>;

const days = {
  from: z.string().describe('Its first day, like "2026-01-01"; UTC.'),
  to: z.string().describe('Its last day.'),
};

export const tractionBucket = record('TractionBucket', 'Counts of a range of days with at least 5 new holders.', {
  ...days,
  issued: safeCount.describe('Issuances.'),
  holders: safeCount.describe('New holders: those who got their first credential of this kind.'),
});

export const programTractionBucket = record(
  'ProgramTractionBucket',
  'Counts of a range of days in which at least 5 holders were verified for the first time.',
  {
    ...days,
    holders: safeCount.describe('Holders that were verified for the first time.'),
    verified: safeCount.describe('Compliant verifications.'),
  },
);
