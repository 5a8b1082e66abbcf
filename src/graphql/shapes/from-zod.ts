// GraphQL types from zod schemas: type-graphql's decorators, called as functions. The names of schemas in GraphQL are
// in base/record.ts. Types must exist before the schema is built: create them when a module is loaded, not in a thunk.
import 'reflect-metadata';
import {
  ArgsType,
  type ClassType,
  Extensions,
  Field,
  Float,
  ID,
  InputType,
  Int,
  InterfaceType,
  ObjectType,
  registerEnumType,
} from 'type-graphql';
import { z } from 'zod';
import { graphqlNames, interfaceOf, type ScalarName } from '../../base/record.js';
import { DateTimeScalar, JsonScalar, SafeIntScalar } from './scalars.js';

const SCALARS = {
  ID,
  Int,
  SafeInt: SafeIntScalar,
  Float,
  String,
  DateTime: DateTimeScalar,
  JSON: JsonScalar,
} satisfies Readonly<Record<ScalarName, unknown>>;

type Kind = 'object' | 'input' | 'args';
type Schema = z.core.$ZodType;
type TypeValue = ReturnType<NonNullable<Parameters<typeof Field>[0]>>;

/** A field's type for type-graphql. */
export interface FieldType {
  type: TypeValue;
  nullable?: boolean | 'items' | 'itemsAndList';
}

type ClassKind = Kind | 'interface';

interface TypeOptions {
  description?: string;
  implements?: ClassType;
}

const DECORATORS: Readonly<Record<ClassKind, (name: string, options: TypeOptions) => ClassDecorator>> = {
  object: (name, options) => ObjectType(name, { simpleResolvers: true, ...options }),
  input: (name, options) => InputType(name, options),
  args: () => ArgsType(),
  interface: (name, options) => InterfaceType(name, options),
};

const classes: Readonly<Record<ClassKind, WeakMap<Schema, ClassType>>> = {
  object: new WeakMap(),
  input: new WeakMap(),
  args: new WeakMap(),
  interface: new WeakMap(),
};
const enums = new WeakMap<Schema, object>();

/** The class of a record, for type-graphql's decorators. Its fields are the record's members. */
export const objectType = <T extends z.ZodObject>(record: T): ClassType<z.output<T>> => classOf('object', record);

/** The class of an input. Members that may be absent may be null. */
export const inputType = <T extends z.ZodObject>(input: T): ClassType<z.input<T>> => classOf('input', input);

/** The class of an input whose members are the arguments of a field. */
export const argsType = <T extends z.ZodObject>(input: T): ClassType<z.input<T>> => classOf('args', input);

/** The class of a record that is an interface: types written with decorators implement and extend it. */
export const interfaceType = <T extends z.ZodObject>(record: T): ClassType<z.output<T>> => classOf('interface', record);

/** The enum of a choice: its values by their names in GraphQL. */
export function enumType(choice: z.ZodEnum): object {
  const root = rootOf(choice);
  const made = enums.get(root);
  if (made) return made;
  const { values = {} } = graphqlNames.get(choice) ?? {};
  const entries = choice.options.map((value) => [nameOf(String(value)), String(value)] as const);
  const valuesConfig = Object.fromEntries(entries.map(([key, value]) => [key, { description: values[value] }]));
  const type = Object.fromEntries(entries);
  registerEnumType(type, { name: typeNameOf(choice), description: descriptionOf(root), valuesConfig });
  enums.set(root, type);
  return type;
}

function classOf<T>(kind: ClassKind, schema: z.ZodObject): ClassType<T & object> {
  const root = rootOf(schema);
  const made = classes[kind].get(root) as ClassType<T & object> | undefined;
  if (made) return made;
  const name = kind === 'args' ? 'Args' : typeNameOf(schema);
  const Class = { [name]: class {} }[name] as ClassType<T & object>;
  classes[kind].set(root, Class);
  const description = descriptionOf(root);
  const parent = interfaceOf.get(root);
  DECORATORS[kind](name, {
    ...(description ? { description } : {}),
    ...(parent ? { implements: interfaceType(parent) } : {}),
  })(Class);
  for (const [member, type] of Object.entries(schema.shape)) {
    addField(Class, member, { type, kind });
  }
  return Class;
}

function addField({ name, prototype }: ClassType, member: string, { type, kind }: { type: Schema; kind: ClassKind }) {
  const description = descriptionOf(type);
  if (description === undefined) throw new Error(`the member ${member} of ${name} needs a description`);
  const { type: value, ...nullable } = fieldTypeOf(type, kind === 'interface' ? 'object' : kind);
  const { size, withheld, defaulted } = graphqlNames.get(type) ?? {};
  if (size !== undefined) Extensions({ size })(prototype, member);
  const more =
    defaulted && type instanceof z.ZodDefault ? { nullable: false, defaultValue: type.def.defaultValue } : {};
  Field(() => value, { ...nullable, ...(withheld ? { nullable: true } : {}), ...more, description })(prototype, member);
}

/** The type of a field whose values a schema describes. */
export function fieldTypeOf(schema: Schema, kind: Kind): FieldType {
  const { scalar } = graphqlNames.get(schema) ?? {};
  if (scalar) return { type: SCALARS[scalar] };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return orNull(fieldTypeOf(schema.def.innerType, kind));
  if (schema instanceof z.ZodReadonly) return fieldTypeOf(schema.def.innerType, kind);
  if (schema instanceof z.ZodPipe) return fieldTypeOf(kind === 'object' ? schema.def.out : schema.def.in, kind);
  if (schema instanceof z.ZodArray) return listOf(fieldTypeOf(schema.def.element, kind));
  if (schema instanceof z.ZodObject) return { type: classOf(kind === 'args' ? 'input' : kind, schema) };
  if (schema instanceof z.ZodEnum) return { type: enumType(schema) };
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return { type: String };
  if (schema instanceof z.ZodBoolean) return { type: Boolean };
  if (schema instanceof z.ZodNumber) return { type: schema.format === 'safeint' ? Int : Float };
  if (schema instanceof z.ZodDate) return { type: DateTimeScalar };
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodRecord) return { type: JsonScalar };
  throw new Error(`there is no GraphQL type for zod's ${schema._zod.def.type}; name its scalar in base/record.ts`);
}

function orNull({ type, nullable }: FieldType): FieldType {
  const items = nullable === 'items' || nullable === 'itemsAndList';
  return { type, nullable: items ? 'itemsAndList' : true };
}

function listOf({ type, nullable }: FieldType): FieldType {
  return { type: [type] as TypeValue, ...(nullable ? { nullable: 'items' } : {}) };
}

/** The schema from which this one is derived, which has the same type in GraphQL. */
function rootOf(schema: Schema): Schema {
  const { parent } = schema._zod;
  return parent ? rootOf(parent) : schema;
}

const descriptionOf = (schema: Schema): string | undefined => z.globalRegistry.get(schema)?.description;

/** The name of its type. */
export function typeNameOf(schema: Schema): string {
  const { name } = graphqlNames.get(schema) ?? {};
  if (name) return name;
  throw new Error(`a schema needs a name to be a type of GraphQL: ${descriptionOf(schema) ?? schema._zod.def.type}`);
}

/** `not-yet` and `notYet` are `NOT_YET`. */
const nameOf = (text: string): string =>
  /^[A-Z0-9_]+$/.test(text)
    ? text
    : text
        .replace(/[A-Z]/g, '_$&')
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .toUpperCase();
