// GraphQL types of verification.
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { JsonScalar } from '../../graphql/shapes/scalars.js';

/** Languages of conditions; the values are REST's. */
export enum ConditionNotation {
  TEXT = 'text',
  IDEN3 = 'iden3',
  DCQL = 'dcql',
}
registerEnumType(ConditionNotation, {
  name: 'ConditionNotation',
  description: 'A notation of conditions.',
  valuesConfig: {
    TEXT: { description: 'A list of conditions as text.' },
    IDEN3: { description: 'An iden3 query, `{credentialSubject: {field: {$gte: 18}}}`.' },
    DCQL: { description: 'A claims query of DCQL, `{claims: [{path, values}]}`.' },
  },
});

@InputType({ description: 'Conditions, and the notation to convert them to.' })
export class ConvertConditionsInput {
  @Field(() => ConditionNotation, { description: 'The notation they are in.' })
  from: ConditionNotation;

  @Field(() => ConditionNotation, { description: 'The notation to convert them to.' })
  to: ConditionNotation;

  @Field(() => JsonScalar, { description: 'The conditions, at most 64.' })
  value: unknown;
}

@InputType({ description: 'Two lists of conditions. All conditions of a list must hold.' })
export class CompareConditionsInput {
  @Field(() => [String], { description: 'Conditions as text, at most 64.' })
  a: string[];

  @Field(() => [String], { description: 'Conditions as text, at most 64.' })
  b: string[];

  @Field(() => String, { description: 'The schema that they are about, in its current version.' })
  schemaId: string;
}

@ObjectType({ simpleResolvers: true, description: 'Conditions in another notation.' })
export class ConvertedConditions {
  @Field(() => JsonScalar, { description: 'A list of texts, or a query.' })
  value: unknown;
}

@ObjectType({ simpleResolvers: true, description: 'How two lists of conditions relate.' })
export class ConditionComparison {
  @Field(() => Boolean, { description: 'Whether the same claims meet both.' })
  equivalent: boolean;

  @Field(() => Boolean, { description: 'Whether every claim that meets `a` also meets `b`.' })
  aImpliesB: boolean;

  @Field(() => Boolean, { description: 'Whether every claim that meets `b` also meets `a`.' })
  bImpliesA: boolean;

  @Field(() => Boolean, { description: 'Whether no claim meets both.' })
  disjoint: boolean;
}
