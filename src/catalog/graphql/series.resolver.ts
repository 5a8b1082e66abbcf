// Traction over time in GraphQL. Series are read by loaders; they change once a day, not when the rows of their entries do.
import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { argsType, objectType } from '../../graphql/shapes/from-zod.js';
import { seriesRange, seriesSize } from '../traction/series-range.js';
import { programTractionBucket, type SeriesInput, seriesInput, tractionBucket } from '../traction/series-record.js';
import type { CatalogContext } from './resolver-context.js';
import { CredentialTraction, ProgramTraction } from '../records/types.js';

const SeriesArgs = argsType(seriesInput);
const TractionBucket = objectType(tractionBucket);
const ProgramTractionBucket = objectType(programTractionBucket);

const DESCRIPTION = 'Counts over time, without imported ones. Every bucket has at least 5 new holders.';

function seriesOf(entry: string, { bucket, ...range }: SeriesInput, { loaders }: CatalogContext) {
  return loaders.series.load(entry, seriesRange(range), bucket);
}

@Resolver(() => CredentialTraction)
class CredentialSeriesResolver {
  @Extensions({ sizeBy: seriesSize })
  @FieldResolver(() => [TractionBucket], { description: DESCRIPTION })
  series(
    @Root() { entry }: CredentialTraction,
    @Args(() => SeriesArgs) args: SeriesInput,
    @Ctx() context: CatalogContext,
  ) {
    return seriesOf(entry, args, context);
  }
}

@Resolver(() => ProgramTraction)
class ProgramSeriesResolver {
  @Extensions({ sizeBy: seriesSize })
  @FieldResolver(() => [ProgramTractionBucket], { description: DESCRIPTION })
  series(
    @Root() { entry }: ProgramTraction,
    @Args(() => SeriesArgs) args: SeriesInput,
    @Ctx() context: CatalogContext,
  ) {
    return seriesOf(entry, args, context);
  }
}

/** The series of every kind of traction. */
export const seriesResolvers = [CredentialSeriesResolver, ProgramSeriesResolver] as const;
