// The JSON Schemas that zod creates from inputs and records, in the form that the OpenAPI document has.
import { z } from 'zod';

/** A JSON Schema that zod prints. */
export interface Printed {
  type?: string | readonly unknown[];
  required?: readonly string[];
  properties?: Readonly<Record<string, Printed>>;
  items?: Printed;
  anyOf?: readonly Printed[];
  additionalProperties?: Printed | boolean;
  description?: string;
  [keyword: string]: unknown;
}

/** The JSON Schema of an input. */
export function printed(schema: z.ZodType): Printed {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(inputOf(schema), {
    unrepresentable: 'any',
    io: 'input',
    override: ({ jsonSchema }) => {
      // A format is clearer than zod's pattern for it.
      if (jsonSchema.format !== undefined) jsonSchema.pattern = undefined;
    },
  });
  return JSON.parse(JSON.stringify(rest)) as Printed;
}

/** The schema after a step that only replaces a missing body. */
function inputOf(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodTransform
    ? (schema.def.out as z.ZodType)
    : schema;
}

/** Whether a body may be left out. */
export const isOptional = (schema: z.ZodType): boolean => inputOf(schema) !== schema;

/** The JSON Schema of a response, with references to components of the document; and these components, by name. */
export function returned(schema: z.ZodType): { schema: Printed; components: Readonly<Record<string, Printed>> } {
  const printed = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'output',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema instanceof z.ZodDate) Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
  const text = JSON.stringify(printed).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _dialect, $defs = {}, ...rest } = JSON.parse(text);
  const components = Object.entries($defs as Record<string, Printed>).map(([name, { id: _id, ...def }]) => [
    name,
    readable(def),
  ]);
  return { schema: readable(rest), components: Object.fromEntries(components) };
}

/** The schema for readers of responses: without keywords that add nothing, and open for members of later versions. */
function readable(schema: Printed): Printed {
  const { type, required, properties, items, anyOf, additionalProperties, propertyNames: _names, ...rest } = schema;
  const [first, second, ...others] = anyOf ?? [];
  if (first && second?.type === 'null' && others.length === 0)
    return { ...orNull(readable(rest.description ? withoutDescription(first) : first)), ...rest };
  return {
    ...(type === undefined ? {} : { type }),
    ...(required === undefined ? {} : { required }),
    ...(properties === undefined || isEmpty(properties) ? {} : { properties: each(properties) }),
    ...(items === undefined ? {} : { items: readable(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(readable) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: isEmpty(additionalProperties) || readable(additionalProperties) }
      : {}),
    ...Object.fromEntries(Object.entries(rest).filter(([keyword, value]) => saysMore(keyword, value, schema))),
  };
}

const each = (schemas: Readonly<Record<string, Printed>>): Record<string, Printed> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, readable(schema)]));

const withoutDescription = ({ description: _ofAnother, ...schema }: Printed): Printed => schema;

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Whether a keyword adds information: the pattern of a format does not, nor do the bounds of all safe integers. */
const saysMore = (keyword: string, value: unknown, { format }: Printed): boolean =>
  (keyword !== 'pattern' || format === undefined) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;

function orNull(schema: Printed): Printed {
  const isSimple = typeof schema.type === 'string' && schema.enum === undefined;
  return isSimple ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}
