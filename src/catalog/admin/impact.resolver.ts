// What a schema change would break, in GraphQL: the same function as REST (contract §17).
import { Arg, Ctx, Extensions, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { bodyOf } from './admin.resolver.js';
import { MAX_BREAKS } from './breaks.js';
import { PutSchemaInput } from './graphql-inputs.js';
import type { SchemaImpacts } from './schema-impact.service.js';

@ObjectType({ simpleResolvers: true, description: 'A condition of a live program that a schema change breaks.' })
export class ConditionBreak {
  @Field(() => String, { description: 'Id of the program.' })
  programId: string;

  @Field(() => String, { description: 'Id of the accepted credential.' })
  credentialId: string;

  @Field(() => String, { description: 'The condition as text.' })
  condition: string;

  @Field(() => String, { description: 'missing, type, order, contradiction, ranges, inequalities or lists.' })
  why: string;
}

@ObjectType('SchemaImpact', { simpleResolvers: true, description: 'What a schema change would break.' })
export class SchemaImpactType {
  @Extensions({ size: MAX_BREAKS })
  @Field(() => [ConditionBreak], { description: 'Conditions that could be proven and no longer can; at most 1,000.' })
  breaks: ConditionBreak[];

  @Field(() => Int, {
    description:
      'Live credentials that would have to be issued again to prove what programs ask; counted up to 10,000.',
  })
  reissue: number;
}

interface ImpactContext {
  caller: Caller;
  services: { schemaImpacts: SchemaImpacts };
}

@Resolver()
export class ImpactResolver {
  @Query(() => SchemaImpactType, {
    description: 'What would break if every live credential on a schema were moved to this content. Operator only.',
  })
  schemaImpact(
    @Arg('input', () => PutSchemaInput, { description: 'The proposed schema; `ifMatch` is ignored.' })
    input: PutSchemaInput,
    @Ctx() { caller, services }: ImpactContext,
  ) {
    const { schemaId, ifMatch: _ifMatch, ...content } = input;
    const body = bodyOf({ ...content, dataPoints: content.dataPoints?.map(bodyOf) });
    return services.schemaImpacts.impact(caller, schemaId, body);
  }
}
