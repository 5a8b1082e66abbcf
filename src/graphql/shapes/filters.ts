// Filters of single fields for the lists of every domain: operators for texts, names, numbers and times.
import { Field, InputType, Int } from 'type-graphql';
import { DateTimeScalar } from './scalars.js';

@InputType({ description: 'Compares a text; all given operators must hold.' })
export class TextFilter {
  @Field(() => String, { nullable: true, description: 'Exactly this text.' })
  eq?: string;

  @Field(() => [String], { nullable: true, description: 'Any of these texts, at most 100.' })
  in?: string[];
}

@InputType({ description: 'Compares a name or title; all given operators must hold.' })
export class NameFilter {
  @Field(() => String, { nullable: true, description: 'Exactly this name.' })
  eq?: string;

  @Field(() => [String], { nullable: true, description: 'Any of these names, at most 100.' })
  in?: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'Words. Each must be the beginning of a word of the name; case and accents are ignored, and ß is ss, æ is ae, ø is o, ł is l.',
  })
  contains?: string;
}

@InputType({ description: 'Compares a whole number; all given operators must hold.' })
export class IntFilter {
  @Field(() => Int, { nullable: true, description: 'Exactly this number.' })
  eq?: number;

  @Field(() => Int, { nullable: true, description: 'More than this.' })
  gt?: number;

  @Field(() => Int, { nullable: true, description: 'This or more.' })
  gte?: number;

  @Field(() => Int, { nullable: true, description: 'Less than this.' })
  lt?: number;

  @Field(() => Int, { nullable: true, description: 'This or less.' })
  lte?: number;
}

@InputType({ description: 'Compares a time; all given operators must hold.' })
export class DateTimeFilter {
  @Field(() => DateTimeScalar, { nullable: true, description: 'Exactly this time.' })
  eq?: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'After this time.' })
  gt?: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'At or after this time.' })
  gte?: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Before this time.' })
  lt?: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'At or before this time.' })
  lte?: Date;
}
