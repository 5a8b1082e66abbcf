// GraphQL types of operator keys.
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';

export enum OperatorKeyRole {
  READ = 'read',
  CATALOG = 'catalog',
  ALL = 'all',
}
registerEnumType(OperatorKeyRole, {
  name: 'OperatorKeyRole',
  description: 'What an operator key may do.',
  valuesConfig: {
    READ: { description: 'Read what operators may read.' },
    CATALOG: { description: 'READ, and write the catalog.' },
    ALL: { description: 'Everything.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A named operator key.' })
export class OperatorKey {
  @Field(() => String, { description: 'Its name, which the audit log shows.' })
  name: string;

  @Field(() => OperatorKeyRole, { description: 'What it allows.' })
  role: OperatorKeyRole;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Until when the key from before the last rotation works.',
  })
  previousUntil: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was withdrawn.' })
  withdrawnAt: Date | null;
}

@InputType({ description: 'An operator key to create.' })
export class CreateOperatorKeyInput {
  @Field(() => String, { description: 'Its name: lower-case letters, digits, "." and "-", used once.' })
  name: string;

  @Field(() => OperatorKeyRole, { description: 'What it allows.' })
  role: OperatorKeyRole;
}

@InputType({ description: 'Which operator key.' })
export class OperatorKeyInput {
  @Field(() => String, { description: 'Its name.' })
  name: string;
}

@ObjectType({ simpleResolvers: true, description: 'An operator key with its text.' })
export class OperatorKeyTextPayload {
  @Field(() => OperatorKey, { description: 'The key.' })
  operatorKey: OperatorKey;

  @Field(() => String, { description: 'The text to send in x-admin-api-key. It is shown only in this response.' })
  key: string;
}

@ObjectType({ simpleResolvers: true, description: 'A withdrawn operator key.' })
export class WithdrawOperatorKeyPayload {
  @Field(() => OperatorKey, { description: 'The key.' })
  operatorKey: OperatorKey;
}
