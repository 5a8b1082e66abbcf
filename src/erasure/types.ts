// GraphQL types of erasures.
import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';

export enum ErasureStateName {
  ERASING = 'erasing',
  SETTLING = 'settling',
  DONE = 'done',
}
registerEnumType(ErasureStateName, {
  name: 'ErasureState',
  description: 'How far an erasure is.',
  valuesConfig: {
    ERASING: { description: 'Rows are being deleted.' },
    SETTLING: {
      description: 'All are deleted; requests from before may still add some, which are deleted after ten minutes.',
    },
    DONE: { description: 'Nothing of the holder is left.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The erasure of a holder.' })
export class Erasure {
  @Field(() => ID, { description: 'Its id; it says nothing about the holder.' })
  erasureId: string;

  @Field(() => ErasureStateName, { description: 'How far it is.' })
  state: ErasureStateName;

  @Field(() => Date, { description: 'When it began.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When nothing was left; null until then.' })
  doneAt: Date | null;
}

@InputType({ description: 'Which holder, by one of its names.' })
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
  @Field(() => Erasure, { description: 'The erasure, which goes on in the background.' })
  erasure: Erasure;
}
