// Checks the arguments of GraphQL fields with the zod schemas with which REST checks its requests.
import { z } from 'zod';
import { parseInput } from '../../base/input.js';

/**
 * Checks the arguments of a field, or one of them. In GraphQL, null and absent mean the same. A member that is null
 * counts as absent, unless the schema allows null; an absent member counts as null if the schema requires the member
 * and allows null. A time becomes a text if the schema expects a text.
 * @throws DomainError BAD_USER_INPUT naming the first invalid member.
 */
export const parseArgs = <T>(schema: z.ZodType<T>, args: unknown): T => parseInput(schema, asInput(schema, args));

function asInput(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return asInput(schema.def.innerType, value);
  if (schema instanceof z.ZodPipe) return asInput(schema.def.in, value);
  if (value instanceof Date) return schema instanceof z.ZodDate ? value : value.toISOString();
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => asInput(schema.element, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const members = Object.entries({ ...absent(schema), ...value }).flatMap(([name, member]) => {
    const type: z.ZodType | undefined = schema.shape[name];
    if (type === undefined) return [[name, member]];
    return member === null && !type.safeParse(null).success ? [] : [[name, asInput(type, member)]];
  });
  return Object.fromEntries(members);
}

/** Null for each member that may be null but not absent. */
const absent = ({ shape }: z.ZodObject): object =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, type]) => (type instanceof z.ZodNullable ? [[name, null]] : [])),
  );
