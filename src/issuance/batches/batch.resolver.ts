// The fields of a batch that are read only when a query selects them: its progress, and pages of its rows.
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { z } from 'zod';
import { argsType, objectType } from '../../graphql/shapes/from-zod.js';
import { pageMembers } from '../../graphql/shapes/operation-resolver.js';
import { parseArgs } from '../../graphql/shapes/parse-args.js';
import { connectionOf } from '../../graphql/shapes/relay.js';
import type { Batches } from './batches.service.js';
import { type Batch as BatchRecord, batch, batchProgress, batchRow } from './types.js';

interface BatchContext {
  services: { batches: Batches };
}

const Batch = objectType(batch);
const BatchProgress = objectType(batchProgress);
const BatchRow = objectType(batchRow);
const RowPage = connectionOf('BatchRow', 'rows of a batch', () => BatchRow);
const rowsInput = z.strictObject(pageMembers({ most: 100, size: 10 }));
const RowsArgs = argsType(rowsInput);

@Resolver(() => Batch)
class BatchResolver {
  @FieldResolver(() => BatchProgress, { description: 'Its progress.' })
  progress(@Root() job: BatchRecord, @Ctx() { services }: BatchContext) {
    return services.batches.progress(job);
  }

  @FieldResolver(() => RowPage.Connection, { description: 'The results of its rows, in order.' })
  rows(
    @Root() job: BatchRecord,
    @Args(() => RowsArgs) args: z.input<typeof rowsInput>,
    @Ctx() { services }: BatchContext,
  ) {
    const { first: limit, after } = parseArgs(rowsInput, args);
    return services.batches.results(job, { limit, after });
  }
}

export const batchResolvers = [BatchResolver, RowPage.ConnectionResolver] as const;
