// Operator keys in GraphQL, for operators whose key may do everything.
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import type { OperatorKeys, OperatorKeyWithText } from './operator-keys.js';
import {
  CreateOperatorKeyInput,
  OperatorKey,
  OperatorKeyInput,
  OperatorKeyTextPayload,
  WithdrawOperatorKeyPayload,
} from './types.js';

interface OperatorsContext {
  caller: Caller;
  services: { operatorKeys: OperatorKeys };
}

const withText = ({ key, ...operatorKey }: OperatorKeyWithText) => ({ operatorKey, key });

/** Queries and mutations of operator keys. */
@Resolver()
export class OperatorsResolver {
  @Query(() => [OperatorKey], { description: 'All named operator keys, withdrawn ones too, by name. Operator only.' })
  operatorKeys(@Ctx() { services, caller }: OperatorsContext) {
    return services.operatorKeys.list(caller);
  }

  @Mutation(() => OperatorKeyTextPayload, { description: 'Creates an operator key. Operator only.' })
  async createOperatorKey(
    @Arg('input', () => CreateOperatorKeyInput, { description: 'Its name and role.' }) input: CreateOperatorKeyInput,
    @Ctx() { services, caller }: OperatorsContext,
  ) {
    return withText(await services.operatorKeys.create(caller, input));
  }

  @Mutation(() => OperatorKeyTextPayload, {
    description: 'Creates a new key of the same name. The previous one works for 24 more hours. Operator only.',
  })
  async rotateOperatorKey(
    @Arg('input', () => OperatorKeyInput, { description: 'Which one.' }) input: OperatorKeyInput,
    @Ctx() { services, caller }: OperatorsContext,
  ) {
    return withText(await services.operatorKeys.rotate(caller, input));
  }

  @Mutation(() => WithdrawOperatorKeyPayload, { description: 'Withdraws an operator key for good. Operator only.' })
  async withdrawOperatorKey(
    @Arg('input', () => OperatorKeyInput, { description: 'Which one.' }) input: OperatorKeyInput,
    @Ctx() { services, caller }: OperatorsContext,
  ) {
    return { operatorKey: await services.operatorKeys.withdraw(caller, input) };
  }
}
