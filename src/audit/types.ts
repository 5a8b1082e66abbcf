// GraphQL types of the audit log.
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'A write of an operator or a partner.' })
export class AuditEntry {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => Date, { description: 'When it was written.' })
  at: Date;

  @Field(() => String, { description: '`operator <name of the key>` or `partner <partnerId>`.' })
  actor: string;

  @Field(() => String, { nullable: true, description: "The partner's key that signed the token; null for operators." })
  kid: string | null;

  @Field(() => String, { description: 'What was done, such as `partner.put` or `issuance.revoke`.' })
  operation: string;

  @Field(() => String, { description: 'Id of what was written; the first of `subjects`.' })
  subject: string;

  @Field(() => [String], {
    description:
      'Ids of what was written. One, or up to 250 of one import; `before` and `after` then have a member for each.',
  })
  subjects: readonly string[];

  @Field(() => String, { description: 'Its result, such as `created`, `updated` or `revoked`.' })
  outcome: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The listed members before the write; null if there was nothing.',
  })
  before: unknown;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The listed members after the write; null if there is nothing.',
  })
  after: unknown;

  @Field(() => String, { nullable: true, description: 'Id of the request; null if it was not done by a request.' })
  requestId: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Its position in the hash chain, from 1; null until it is added, usually for a second.',
  })
  seq: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Its hash in the chain, in hex; null until it is added, usually for a second.',
  })
  hash: string | null;
}

@InputType({ description: 'A filter of audit entries; all given fields must match.' })
export class AuditWhere {
  @Field(() => String, { nullable: true, description: '`operator <name of the key>` or `partner <partnerId>`.' })
  actor?: string | null;

  @Field(() => String, { nullable: true, description: 'An operation, such as `partner.put`.' })
  operation?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id of what was written; cannot be combined with `actor` or `operation`.',
  })
  subject?: string | null;

  @Field(() => Date, { nullable: true, description: 'From this moment on.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Before this moment.' })
  to?: Date | null;
}
