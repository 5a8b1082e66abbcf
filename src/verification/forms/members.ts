// Members that several records and inputs of verification have in common.
import { z } from 'zod';
import { shownAs } from '../../base/record.js';
import type { Literal } from '../../conditions/index.js';

export const verificationId = z.guid('must be a UUID');

const LITERAL = { type: ['string', 'number', 'boolean'] };
const literal = z.custom<Literal>().meta(LITERAL);
const range = z.custom<[Literal, Literal]>().meta({ type: 'array', items: LITERAL });

/** The requirement on a field: conditions in normal form (conditions/normal-form.ts). */
const fieldForm = z
  .object({
    field: z.string().describe('Name of the field.'),
    family: z.enum(['number', 'date', 'boolean', 'text', 'json']).describe('What its values are.'),
    exists: z.boolean().optional().describe('Whether it must have a value.'),
    equals: literal.optional().describe('Its only accepted value.'),
    in: z.array(literal).optional().describe('Its accepted values.'),
    gt: literal.optional().describe('It is greater.'),
    gte: literal.optional().describe('It is greater, or equal.'),
    lt: literal.optional().describe('It is less.'),
    lte: literal.optional().describe('It is less, or equal.'),
    outside: z.array(range).optional().describe('Excluded ranges, with their bounds.'),
    not: z.array(literal).optional().describe('Excluded values.'),
  })
  .meta({ id: 'FieldForm' });

/** The conditions on a credential. */
export const conditions = shownAs('JSON', z.array(fieldForm)).describe(
  "Its conditions in normal form, at the challenge's `now`.",
);
