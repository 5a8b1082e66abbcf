// Verification in GraphQL: the same functions as REST (contract §17).
import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { parseInput } from '../../base/input.js';
import type { ConditionService } from './conditions.js';
import {
  CompareConditionsInput,
  ConditionComparison,
  ConvertConditionsInput,
  ConvertedConditions,
} from '../forms/types.js';
import { compareBody, convertBody } from './conditions.routes.js';

interface VerificationContext {
  address?: string;
  services: { conditions: ConditionService };
}

@Resolver()
export class VerificationResolver {
  @Query(() => ConvertedConditions, { description: 'Conditions in another notation.' })
  convertConditions(
    @Arg('input', () => ConvertConditionsInput, { description: 'What to convert.' }) input: ConvertConditionsInput,
    @Ctx() { services, address }: VerificationContext,
  ) {
    return services.conditions.convert(parseInput(convertBody, { ...input }), { address });
  }

  @Query(() => ConditionComparison, {
    description: 'Whether conditions imply, equal or exclude each other. Relative dates count from now.',
  })
  compareConditions(
    @Arg('input', () => CompareConditionsInput, { description: 'What to compare.' }) input: CompareConditionsInput,
    @Ctx() { services, address }: VerificationContext,
  ) {
    return services.conditions.compare(parseInput(compareBody, { ...input }), { address });
  }
}
