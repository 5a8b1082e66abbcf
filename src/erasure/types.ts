// GraphQL types of erasures.
import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';

export enum ErasureStateName {
  ERASING = 'erasing',
  SETTLING = 'settling',
  DONE = 'done',
}
registerEnumType(ErasureStateName, {
  name: 'ErasureState',
  description: 'The progress of an erasure.',
  valuesConfig: {
    ERASING: { description: 'Rows are being deleted.' },
    SETTLING: {
      description: 'Everything is deleted. What requests in progress still add is deleted after ten minutes.',
    },
    DONE: { description: 'Nothing of the holder is left.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The erasure of a holder.' })
export class Erasure {
  @Field(() => ID, { description: 'Its id, which reveals nothing about the holder.' })
  erasureId: string;

  @Field(() => ErasureStateName, { description: 'Its progress.' })
  state: ErasureStateName;

  @Field(() => Date, { description: 'When it began.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When everything was deleted; null until then.' })
  doneAt: Date | null;
}

@InputType({ description: 'The holder, by userId, DID or e-mail address.' })
export class EraseHolderInput {
  @Field(() => ID, { nullable: true, description: 'Its userId.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'Its e-mail address.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Its DID.' })
  did?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of eraseHolder.' })
export class EraseHolderPayload {
  @Field(() => Erasure, { description: 'The erasure, which continues in the background.' })
  erasure: Erasure;
}
