// Where entries of other networks come from, in GraphQL.
import { Field, ObjectType } from 'type-graphql';
import { DateTimeScalar } from '../../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'The network that a catalog entry was mirrored from.' })
export class Origin {
  @Field(() => String, { description: 'Base address of its REST API.' })
  source: string;

  @Field(() => String, { description: "The entry's id at the source." })
  sourceId: string;

  @Field(() => DateTimeScalar, { description: 'When a run last found it at the source.' })
  lastSeenAt: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When a run found that the source no longer has it; null: the source has it.',
  })
  missingSince: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When an operator changed it here. Since then, runs do not change it. Null: it is as the source has it.',
  })
  editedAt: Date | null;
}
