// GraphQL types of a partner's gas policy (contract §22).
import { Extensions, Field, Float, InputType, Int, ObjectType } from 'type-graphql';

const MAX_TARGETS = 100;
const MAX_SELECTORS = 100;

@ObjectType('GasTarget', { simpleResolvers: true, description: 'A contract that sponsored operations may call.' })
export class GasTargetType {
  @Field(() => String, { description: 'Address of the contract.' })
  address: string;

  @Extensions({ size: MAX_SELECTORS })
  @Field(() => [String], { nullable: true, description: 'First 4 bytes of calls, in hex with 0x; null: any.' })
  selectors?: string[] | null;
}

@ObjectType('GasPolicy', {
  simpleResolvers: true,
  description: "How much of its holders' gas a partner pays for, per day (UTC); null: the default applies.",
})
export class GasPolicyType {
  @Field(() => Int, { nullable: true, description: 'Deployments of accounts per day.' })
  deploysPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Core ids minted per day.' })
  mintsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'User operations of each holder per day.' })
  opsPerHolderPerDay?: number | null;

  @Field(() => Float, { nullable: true, description: 'Units of gas per day.' })
  gasPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Deployments of accounts of each holder per day.' })
  deploysPerHolderPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Core ids minted for each holder per day.' })
  mintsPerHolderPerDay?: number | null;

  @Field(() => Float, { nullable: true, description: 'Units of gas of each holder per day.' })
  gasPerHolderPerDay?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the partner also pays for sessions opened without a partner token.',
  })
  anyLogin?: boolean | null;

  @Extensions({ size: MAX_TARGETS })
  @Field(() => [GasTargetType], {
    nullable: true,
    description: 'Contracts and functions that operations may call; null: any.',
  })
  targets?: GasTargetType[] | null;
}

@InputType({ description: 'A contract that sponsored operations may call.' })
export class GasTargetInput {
  @Field(() => String, { description: 'Address of the contract.' })
  address: string;

  @Field(() => [String], { nullable: true, description: 'First 4 bytes of calls, in hex with 0x; default: any.' })
  selectors?: string[] | null;
}

@InputType({ description: "How much of its holders' gas a partner pays for, per day (UTC)." })
export class GasPolicyInput {
  @Field(() => Int, { nullable: true, description: 'Deployments of accounts per day.' })
  deploysPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Core ids minted per day.' })
  mintsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'User operations of each holder per day.' })
  opsPerHolderPerDay?: number | null;

  @Field(() => Float, { nullable: true, description: 'Units of gas per day.' })
  gasPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Deployments of accounts of each holder per day.' })
  deploysPerHolderPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Core ids minted for each holder per day.' })
  mintsPerHolderPerDay?: number | null;

  @Field(() => Float, { nullable: true, description: 'Units of gas of each holder per day.' })
  gasPerHolderPerDay?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the partner also pays for sessions opened without a partner token.',
  })
  anyLogin?: boolean | null;

  @Field(() => [GasTargetInput], {
    nullable: true,
    description: 'Contracts and functions that operations may call; default: any.',
  })
  targets?: GasTargetInput[] | null;
}

/** The input as the body that REST takes: without what is null. */
export function gasPolicyOf({ targets, ...amounts }: GasPolicyInput): Record<string, unknown> {
  const written = targets?.map(({ address, selectors }) => ({ address, ...(selectors ? { selectors } : {}) }));
  return Object.fromEntries(Object.entries({ ...amounts, targets: written }).filter(([, value]) => value != null));
}
