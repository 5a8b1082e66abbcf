// Mirrors of other networks in GraphQL, for the operator.
import { Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { objectType } from '../../graphql/shapes/from-zod.js';
import type { Mirrors } from './mirror.js';
import { mirrorRun, viewOf } from './mirror-record.js';

const Run = objectType(mirrorRun);

@Resolver()
export class MirrorsResolver {
  @Query(() => [Run], { description: 'The newest run over each mirrored network, at most 100. Operator only.' })
  async mirrors(@Ctx() { services, caller }: { services: { mirrors: Mirrors }; caller: Caller }) {
    return (await services.mirrors.list(caller)).map(viewOf);
  }
}
