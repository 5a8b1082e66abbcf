// Arguments of GraphQL fields, checked by the zod schemas that REST checks its requests by.
import { z } from 'zod';
import { parseInput } from '../../base/input.js';

/**
 * Checks the arguments of a field, or one of them. In GraphQL, null and absent are the same: a member that is null counts as absent, unless
 * the schema takes null, and one that is absent as null where the schema wants one of the two. A time becomes its text where the schema
 * wants a text.
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

/** Members that may be null and not absent. */
const absent = ({ shape }: z.ZodObject): object =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, type]) => (type instanceof z.ZodNullable ? [[name, null]] : [])),
  );
