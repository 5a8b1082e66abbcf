// Filters of single fields for the lists of every domain: operators for texts, names, numbers and times. An operator
// that is null comes from a variable that was not set; `givenOperators` refuses it.
import { z } from 'zod';
import { input, shownAs } from '../../base/record.js';

export const textFilter = input('TextFilter', 'Compares a text; all given operators must hold.', {
  eq: z.string().nullish().describe('Exactly this text.'),
  in: z.array(z.string()).nullish().describe('Any of these texts, at most 100.'),
});
export type TextFilter = z.output<typeof textFilter>;

export const nameFilter = input('NameFilter', 'Compares a name or title; all given operators must hold.', {
  eq: z.string().nullish().describe('Exactly this name.'),
  in: z.array(z.string()).nullish().describe('Any of these names, at most 100.'),
  contains: z
    .string()
    .nullish()
    .describe(
      'Words. Each must be the beginning of a word of the name; case and accents are ignored, and ß is ss, æ is ae, ø is o, ł is l.',
    ),
});

const wholeNumber = shownAs('Int', z.int());

export const intFilter = input('IntFilter', 'Compares a whole number; all given operators must hold.', {
  eq: wholeNumber.nullish().describe('Exactly this number.'),
  gt: wholeNumber.nullish().describe('More than this.'),
  gte: wholeNumber.nullish().describe('This or more.'),
  lt: wholeNumber.nullish().describe('Less than this.'),
  lte: wholeNumber.nullish().describe('This or less.'),
});

const moment = z.date();

export const dateTimeFilter = input('DateTimeFilter', 'Compares a time; all given operators must hold.', {
  eq: moment.nullish().describe('Exactly this time.'),
  gt: moment.nullish().describe('After this time.'),
  gte: moment.nullish().describe('At or after this time.'),
  lt: moment.nullish().describe('Before this time.'),
  lte: moment.nullish().describe('At or before this time.'),
});
