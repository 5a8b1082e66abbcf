// Traction over time in GraphQL. Series are read by loaders; they change when a day has passed, not with the rows that they belong to.
import {
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { SafeIntScalar } from '../../graphql/shapes/scalars.js';
import { seriesRange, seriesSize } from '../traction/series-range.js';
import type { BucketSize } from '../traction/traction-runs.js';
import type { CatalogContext } from './resolver-context.js';
import { CredentialTraction, ProgramTraction } from '../records/types.js';

enum TractionBucketSize {
  DAY = 'DAY',
  WEEK = 'WEEK',
  MONTH = 'MONTH',
}
registerEnumType(TractionBucketSize, {
  name: 'TractionBucketSize',
  description: 'The length of buckets. A bucket is longer if fewer than 5 holders were new.',
  valuesConfig: {
    DAY: { description: 'A day.' },
    WEEK: { description: 'A week that begins on Monday.' },
    MONTH: { description: 'A month.' },
  },
});

@ArgsType()
class SeriesArgs {
  @Field(() => String, { description: 'The first day on which a bucket may end, like "2026-01-01"; UTC.' })
  from: string;

  @Field(() => String, { description: 'The last day on which a bucket may end; at most 366 days.' })
  to: string;

  @Field(() => TractionBucketSize, {
    defaultValue: TractionBucketSize.DAY,
    description: 'The smallest length of a bucket.',
  })
  bucket: BucketSize;
}

@ObjectType({ simpleResolvers: true, description: 'Counts of a range of days with at least 5 new holders.' })
class TractionBucket {
  @Field(() => String, { description: 'Its first day, like "2026-01-01"; UTC.' })
  from: string;

  @Field(() => String, { description: 'Its last day.' })
  to: string;

  @Field(() => SafeIntScalar, { description: 'Issuances.' })
  issued: number;

  @Field(() => SafeIntScalar, { description: 'New holders: those who got their first credential of this kind.' })
  holders: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Counts of a range of days in which at least 5 holders were verified for the first time.',
})
class ProgramTractionBucket {
  @Field(() => String, { description: 'Its first day, like "2026-01-01"; UTC.' })
  from: string;

  @Field(() => String, { description: 'Its last day.' })
  to: string;

  @Field(() => SafeIntScalar, { description: 'Holders that were verified for the first time.' })
  holders: number;

  @Field(() => SafeIntScalar, { description: 'Compliant verifications.' })
  verified: number;
}

const DESCRIPTION = 'Counts over time, without imported ones. Every bucket has at least 5 new holders.';

function seriesOf(entry: string, { bucket, ...range }: SeriesArgs, { loaders }: CatalogContext) {
  return loaders.series.load(entry, seriesRange(range), bucket);
}

@Resolver(() => CredentialTraction)
class CredentialSeriesResolver {
  @Extensions({ sizeBy: seriesSize })
  @FieldResolver(() => [TractionBucket], { description: DESCRIPTION })
  series(
    @Root() { entry }: CredentialTraction,
    @Args(() => SeriesArgs) args: SeriesArgs,
    @Ctx() context: CatalogContext,
  ) {
    return seriesOf(entry, args, context);
  }
}

@Resolver(() => ProgramTraction)
class ProgramSeriesResolver {
  @Extensions({ sizeBy: seriesSize })
  @FieldResolver(() => [ProgramTractionBucket], { description: DESCRIPTION })
  series(@Root() { entry }: ProgramTraction, @Args(() => SeriesArgs) args: SeriesArgs, @Ctx() context: CatalogContext) {
    return seriesOf(entry, args, context);
  }
}

/** The series of every kind of traction. */
export const seriesResolvers = [CredentialSeriesResolver, ProgramSeriesResolver] as const;
