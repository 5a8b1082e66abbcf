// Every refusal of outside data is one plain sentence of ours that begins with the field, whatever the schema is made of.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../src/base/errors.js';
import { parseInput } from '../../src/base/input.js';

function refusal(schema: z.ZodType, value: unknown): DomainError {
  try {
    parseInput(schema, value);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('A refusal', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, '"a" is missing.'],
    [z.string(), 5, '"a" must be a string.'],
    [z.number(), 'x', '"a" must be a number.'],
    [z.number(), Number.NaN, '"a" must be a number.'],
    [z.int(), 1.5, '"a" must be a whole number.'],
    [z.boolean(), 1, '"a" must be true or false.'],
    [z.array(z.string()), {}, '"a" must be a list.'],
    [z.object({}), [], '"a" must be an object.'],
    [z.record(z.string(), z.unknown()), 'x', '"a" must be an object.'],
    [z.enum(['x', 'y']), 'z', '"a" must be one of x, y.'],
    [z.enum(['x', 'y']), undefined, '"a" is missing.'],
    [z.literal(true), false, '"a" must be one of true.'],
    [z.string().min(1), '', '"a" must not be empty.'],
    [z.array(z.string()).min(1), [], '"a" must not be empty.'],
    [z.string().min(3), 'x', '"a" must have at least 3 characters.'],
    [z.string().max(3), 'xxxx', '"a" must have at most 3 characters.'],
    [z.array(z.string()).max(1), ['x', 'y'], '"a" must have at most 1 entries.'],
    [z.number().min(1), 0, '"a" must be at least 1.'],
    [z.number().max(9), 10, '"a" must be at most 9.'],
    [z.number().multipleOf(5), 7, '"a" must be a multiple of 5.'],
    [z.guid(), 'x', '"a" must be a UUID.'],
    [z.email(), 'x', '"a" must be an e-mail address.'],
    [z.iso.datetime(), 'x', '"a" must be a date-time in ISO 8601.'],
    [z.string().regex(/^x$/), 'y', '"a" must be of the form that is described for it.'],
    [z.union([z.string(), z.number()]), true, '"a" does not fit.'],
    [z.string().refine(() => false), 'x', '"a" does not fit.'],
    [z.string().refine(() => false, 'must rhyme'), 'x', '"a" must rhyme.'],
  ])('refusal %# is a sentence', (schema, a, sentence) => {
    expect(refusal(z.object({ a: schema }), { a })).toMatchObject({ message: sentence, data: { field: 'a' } });
  });

  it('a refusal names nested fields, unknown ones, and the body itself', () => {
    const schema = z.strictObject({ keys: z.array(z.strictObject({ kid: z.string() })) });
    expect(refusal(schema, { keys: [{ kid: 1 }] }).message).toBe('"keys[0].kid" must be a string.');
    expect(refusal(schema, { keys: [{ kid: 'a', d: 1 }] }).message).toBe(
      '"keys[0].d" is not a field that is known here.',
    );
    expect(refusal(schema, []).message).toBe('The body must be an object.');
    expect(refusal(schema, undefined).message).toBe('The body is missing.');
  });
});
