// Records, inputs and choices, described once. TypeScript types are `z.output` of them; GraphQL types (graphql/shapes/from-zod.ts) and the
// JSON Schemas of REST (http/openapi/json-schema.ts) are made from them. A member's description is zod's `describe`.
import { z } from 'zod';

/** GraphQL scalars that a zod schema alone does not determine. */
export type ScalarName = 'ID' | 'Int' | 'SafeInt' | 'Float' | 'String' | 'DateTime' | 'JSON';

/** GraphQL's facts about a schema. */
export interface GraphqlNames {
  /** The name of its type. */
  name?: string;
  scalar?: ScalarName;
  /** How many entries a list has at most, for the cost of queries. */
  size?: number;
  /** Whether some callers do not get the member. */
  withheld?: boolean;
  /** Whether the type shows the default of the member. */
  defaulted?: boolean;
  /** Descriptions of a choice's values. */
  values?: Readonly<Record<string, string>>;
}

/** GraphQL's names of schemas. Derived schemas, as by `min` or `describe`, inherit them. */
export const graphqlNames = z.registry<GraphqlNames>();

/** The records that are interfaces of GraphQL, by those whose types implement them. */
export const interfaceOf = new WeakMap<z.core.$ZodType, z.ZodObject>();

const described = <T extends z.ZodType>(schema: T, names: GraphqlNames, description: string): T => {
  graphqlNames.add(schema, names);
  z.globalRegistry.add(schema, { description });
  return schema;
};

/**
 * A record: what clients see of a thing. With `.meta({ id })` it becomes a component of the OpenAPI document; other
 * records are repeated where they are used.
 * @param name of its GraphQL type
 */
export const record = <M extends z.ZodRawShape>(name: string, description: string, members: M) =>
  described(z.object(members), { name }, description);

/** A record with the members of a GraphQL interface, and members of its own. */
export function implementing<P extends z.ZodRawShape, M extends z.ZodRawShape>(
  parent: z.ZodObject<P>,
  name: string,
  description: string,
  members: M,
) {
  const schema = record(name, description, { ...parent.shape, ...members });
  interfaceOf.set(schema, parent as unknown as z.ZodObject);
  return schema;
}

/** An input: what clients send. Unknown members are refused. @param name of its GraphQL type */
export const input = <M extends z.ZodRawShape>(name: string, description: string, members: M) =>
  described(z.strictObject(members), { name }, description);

/**
 * One of several texts, each with a description. GraphQL shows them in capitals: `not-yet` is `NOT_YET`.
 * @param name of its GraphQL type
 */
export function choice<const V extends Readonly<Record<string, string>>>(name: string, description: string, values: V) {
  const texts = Object.keys(values) as (keyof V & string)[];
  return described(z.enum(texts), { name, values }, description);
}

/** A list that has at most so many entries, for the cost of queries. */
export function sized<T extends z.ZodType>(most: number, list: T): T {
  graphqlNames.add(list, { size: most });
  return list;
}

/** A member that some callers do not get: GraphQL shows null instead. */
export function withheld<T extends z.ZodType>(member: T): T {
  const derived = member.clone();
  graphqlNames.add(derived, { withheld: true });
  return derived;
}

/** A member with a default that GraphQL shows, too: `Boolean! = false`. */
export function defaulted<T extends z.ZodDefault>(member: T): T {
  graphqlNames.add(member, { defaulted: true });
  return member;
}

/** A schema that is a scalar in GraphQL, whatever its form in REST. */
export const shownAs = <T extends z.ZodType>(scalar: ScalarName, schema: T): T => {
  graphqlNames.add(schema, { scalar });
  return schema;
};

/** The id of a thing. */
export const id = shownAs('ID', z.string());
/** An id that is a UUID. */
export const uuid = shownAs('ID', z.guid('must be a UUID'));
/** The id of a catalog entry, as operators chose it. */
export const catalogId = z.string().min(1).max(500);
/** A time, as a Date; texts in responses are ISO 8601 in UTC. */
export const time = shownAs('DateTime', z.date());
/** A time as ISO 8601 in UTC. */
export const timeText = shownAs('DateTime', z.iso.datetime());
/** SHA-256 in hex, lower case. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case');
/** Bytes in base64, in a response. */
export const base64 = z.string().meta({ contentEncoding: 'base64' });
/** A whole number, not negative, in 32 bits. */
export const count = shownAs('Int', z.int().min(0));
/** A whole number, not negative, that may need more than 32 bits. */
export const safeCount = shownAs('SafeInt', z.int().min(0));
/** A number of milliseconds. */
export const milliseconds = shownAs('Int', z.number());
