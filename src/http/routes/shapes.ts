// JSON Schemas (2020-12) of responses that are not records (base/record.ts). Routes name them; the OpenAPI document is
// built from them.
import { z } from 'zod';
import { shownAs } from '../../base/record.js';

/** A JSON Schema. If it has a name, it becomes a component of the document. */
export interface Shape {
  readonly [keyword: string]: unknown;
  readonly [NAME]?: string;
}

/** The key of a shape's name; JSON omits it. */
export const NAME: unique symbol = Symbol('name of a shape');

type Members = Readonly<Record<string, Shape | z.ZodType>>;

export const TEXT: Shape = { type: 'string' };
export const BOOLEAN: Shape = { type: 'boolean' };
/** A whole number, not negative. */
export const COUNT: Shape = { type: 'integer', minimum: 0 };
export const UUID: Shape = { type: 'string', format: 'uuid' };
/** An object with members of any name. */
export const ANY_OBJECT: Shape = { type: 'object', additionalProperties: true };

/** A shape with a description. */
export const about = (description: string, shape: Shape): Shape => ({ ...shape, description });

export const listOf = (items: Shape | z.ZodType): Shape => ({ type: 'array', items });

export const oneOf = (...values: readonly string[]): Shape => ({ type: 'string', enum: values });

/** The shape, or null. */
export function orNull(shape: Shape | z.ZodType): Shape {
  if (shape instanceof z.ZodType) return { anyOf: [shape, { type: 'null' }] };
  const isSimple = typeof shape.type === 'string' && shape[NAME] === undefined && shape.enum === undefined;
  return isSimple ? { ...shape, type: [shape.type, 'null'] } : { anyOf: [shape, { type: 'null' }] };
}

/** An object. A member whose name ends with `?` may be absent. */
export function object(members: Members): Shape {
  const names = Object.keys(members);
  const required = names.filter((name) => !name.endsWith('?'));
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]]));
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties };
}

/** A shape with a name, which several places share. */
export const named = (name: string, shape: Shape): Shape => ({ ...shape, [NAME]: name });

/** A list without pages. */
export const itemsOf = (items: Shape | z.ZodType): Shape => object({ items: listOf(items) });

/** A page of a list by cursor. */
export const cursorPage = (items: Shape | z.ZodType): Shape =>
  object({
    items: listOf(items),
    hasMore: BOOLEAN,
    'nextCursor?': about('The `after` of the next page, if there is one.', TEXT),
  });

/** A page of the operator's lists (contract §7). */
export const adminPageOf = (data: Shape | z.ZodType): Shape =>
  object({ data: listOf(data), pagination: object({ page: COUNT, limit: COUNT, total: COUNT }) });

/** A JSON Web Key set (RFC 7517), public keys only. */
export const KEY_SET = shownAs('JSON', z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })).meta({
  id: 'KeySet',
});

/** A DID document (W3C DID Core 1.0). */
export const DID_DOCUMENT = named('DidDocument', {
  type: 'object',
  required: ['@context', 'id'],
  properties: { '@context': listOf(TEXT), id: TEXT },
  additionalProperties: true,
});
