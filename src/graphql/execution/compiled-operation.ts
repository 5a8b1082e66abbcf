// A query as functions that write its JSON text. It is compiled once from the schema and the document, field by field
// as each is first reached. The functions write text directly, without objects in between; for an unchanged row they
// reuse the cached text. graphql-js's own functions collect the fields and their arguments.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { isPlain, quoted } from '../../base/json/escaped-text.js';
import type { MaybePromise } from '../../base/concurrency/maybe-promise.js';
import { fieldOf } from '../documents/cost.js';
import type { GatewayContext } from '../../compose/context.js';
import { directCall } from './direct-resolvers.js';
import { allDependencies, constant, type Dependencies, type FieldWriter, inOrder } from './field-writers.js';
import { leafOf, leafWriter, NotWhole, type SourceObject } from './json-text.js';
import { type Execution, type Output, type Variables, written } from './output.js';
import type { RowTextCache } from './row-text-cache.js';

/** Appends a value to the text. @throws NotWhole and whatever resolvers throw. */
type WriteValue = (value: unknown, out: Output) => void;
type Collected = Map<string, readonly FieldNode[]>;

/** One operation of a document, for one set of values of its @include and @skip variables. */
export class CompiledOperation {
  /** Fragments of the document. */
  readonly #named: Record<string, FragmentDefinitionNode> = Object.create(null);
  readonly #write: WriteValue;

  /** Fields and dependencies of each object, computed once; the keys are the same lists of nodes each time. */
  readonly #collected = new WeakMap<readonly FieldNode[], Map<GraphQLObjectType, Collected>>();
  readonly #dependencies = new WeakMap<readonly FieldNode[], Dependencies>();

  /** `decided`: the values of the variables of @include and @skip. `rowTexts`: the row text cache; undefined: nothing is cached. */
  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    private readonly decided: Variables,
    rowTexts?: RowTextCache,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#named[definition.name.value] = definition;
    }
    const root = schema.getRootType(operation.operation);
    if (!root) throw new NotWhole();
    const { selectionSet } = operation;
    const collect = () => collectFields(schema, this.#named, decided, root, selectionSet);
    this.#write = this.#object('', root, collect, rowTexts);
  }

  /** The text of `data`. @throws NotWhole when the result has errors or is null; graphql-js then runs the operation. */
  write(rootValue: unknown, run: Execution): MaybePromise<string> {
    return written(run, (out) => this.#write(rootValue ?? {}, out));
  }

  /**
   * `before`: text that always precedes the value. `rowTexts`: the cache for texts inside this one, unless this one is
   * cached as a whole.
   */
  #value(before: string, type: GraphQLOutputType, nodes: readonly FieldNode[], rowTexts?: RowTextCache): WriteValue {
    if (!isNonNullType(type)) {
      const write = this.#present(before, type, nodes, rowTexts);
      const nothing = `${before}null`;
      return (value, out) => {
        if (value === null || value === undefined) out.text += nothing;
        else write(value, out);
      };
    }
    const write = this.#present(before, type.ofType, nodes, rowTexts);
    return (value, out) => {
      if (value === null || value === undefined) throw new NotWhole();
      write(value, out);
    };
  }

  /** Writes a value that is not null. */
  #present(before: string, type: GraphQLOutputType, nodes: readonly FieldNode[], rowTexts?: RowTextCache): WriteValue {
    if (isLeafType(type)) return leafWriter(before, type);
    if (isListType(type)) return listWriter(before, this.#value('', type.ofType, nodes, rowTexts));
    if (isAbstractType(type)) return this.#oneOf(before, type, nodes, rowTexts);
    if (isObjectType(type)) return this.#objectOf(before, type, nodes, rowTexts);
    throw new NotWhole();
  }

  #objectOf(before: string, type: GraphQLObjectType, nodes: readonly FieldNode[], rowTexts?: RowTextCache): WriteValue {
    return this.#object(before, type, () => this.#subfields(type, nodes), rowTexts);
  }

  #subfields(type: GraphQLObjectType, nodes: readonly FieldNode[]): Collected {
    const byType = this.#collected.get(nodes) ?? new Map<GraphQLObjectType, Collected>();
    const fields = byType.get(type) ?? collectSubfields(this.schema, this.#named, this.decided, type, nodes);
    this.#collected.set(nodes, byType.set(type, fields));
    return fields;
  }

  /** An object of an interface or a union: each of its types is compiled when it first occurs. */
  #oneOf(before: string, type: GraphQLAbstractType, nodes: readonly FieldNode[], rowTexts?: RowTextCache): WriteValue {
    const writers = new Map<string, WriteValue>();
    return (value, out) => {
      const name = type.resolveType?.(value, out.context, NO_INFO, type);
      if (typeof name !== 'string') throw new NotWhole();
      const write = writers.get(name) ?? this.#objectOf(before, this.#possible(type, name), nodes, rowTexts);
      writers.set(name, write);
      write(value, out);
    };
  }

  #possible(type: GraphQLAbstractType, name: string): GraphQLObjectType {
    const objectType = this.schema.getType(name);
    if (!isObjectType(objectType) || !this.schema.isSubType(type, objectType)) throw new NotWhole();
    return objectType;
  }

  #object(before: string, type: GraphQLObjectType, collect: () => Collected, rowTexts?: RowTextCache): WriteValue {
    if (type.isTypeOf) throw new NotWhole();
    let fields: FieldWriter['write'] | undefined;
    return (value, out) => {
      // A resolver may return an error instead of throwing it.
      if (typeof value !== 'object' || value instanceof Error) throw new NotWhole();
      fields ??= inOrder([...this.#fields(before, type, collect(), rowTexts), CLOSE], rowTexts);
      const { plain } = out;
      out.plain = isPlain(value as SourceObject);
      fields(value as SourceObject, out);
      out.plain = plain;
    };
  }

  #fields(before: string, type: GraphQLObjectType, collected: Collected, rowTexts?: RowTextCache): FieldWriter[] {
    if (collected.size === 0) return [constant(`${before}{`)];
    return [...collected].map(([key, nodes], at) => {
      return this.#field(`${at === 0 ? `${before}{` : ','}${quoted(key)}:`, type, nodes, rowTexts);
    });
  }

  #field(before: string, type: GraphQLObjectType, nodes: readonly FieldNode[], rowTexts?: RowTextCache): FieldWriter {
    const [node] = nodes;
    if (node?.name.value === '__typename') return constant(`${before}"${type.name}"`);
    const field = node && fieldOf(type, node.name.value);
    if (!field) throw new NotWhole();
    const dependencies = rowTexts ? this.#dependenciesOf(field, nodes) : UNKNOWN;
    // The text of a field that is read from its row is cached with the row; pages are no rows, and have no texts.
    const isInText = dependencies.of === 'row' && isRow(type);
    const write = this.#value(before, field.type, nodes, isInText ? undefined : rowTexts);
    if (!field.resolve) {
      const leaf = leafOf(before, field.name, field.type);
      return { write: readProperty(field.name, write), leaf, ...dependencies };
    }
    const called = directCall(field.resolve)?.call ?? this.#schemaCall(type, field);
    if (!called) throw new NotWhole();
    const argumentsOf = argumentsMaker(field, node);
    const isLeaf = isLeafType(getNamedType(field.type));
    return {
      write: (source, out) => {
        const value = called(source, argumentsOf(out.variables), out.context as GatewayContext);
        // The value of a resolver is not a text of the object itself, which may be known to need no escaping.
        const { plain } = out;
        if (isLeaf) out.plain = false;
        if (value instanceof Promise) out.wait(value, write);
        else write(value, out);
        out.plain = plain;
      },
      ...dependencies,
    };
  }

  /**
   * The call of a field of the schema itself. graphql-js's resolvers for these return at once and use only the schema.
   */
  #schemaCall(type: GraphQLObjectType, { resolve, type: of }: GraphQLField<unknown, unknown>): SchemaCall | undefined {
    if (!resolve || !(isIntrospectionType(type) || isIntrospectionType(getNamedType(of)))) return undefined;
    const info = { schema: this.schema } as GraphQLResolveInfo;
    return (source, args, context) => resolve(source, args, context, info);
  }

  /** What a field's text depends on, including everything below it. */
  #dependenciesOf(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]): Dependencies {
    const cached = this.#dependencies.get(nodes);
    if (cached) return cached;
    const own: Dependencies = {
      of: !field.resolve ? 'row' : directCall(field.resolve)?.cacheable ? 'catalog' : 'request',
      variables: nodes.flatMap(variablesOf),
    };
    const dependencies =
      own.of === 'request' ? own : allDependencies([own, ...this.#dependenciesBelow(getNamedType(field.type), nodes)]);
    this.#dependencies.set(nodes, dependencies);
    return dependencies;
  }

  #dependenciesBelow(type: GraphQLNamedType, nodes: readonly FieldNode[]): Dependencies[] {
    if (isLeafType(type)) return [];
    if (!isObjectType(type)) return [UNKNOWN];
    const fields = type.getFields();
    return [...this.#subfields(type, nodes).values()].flatMap((fieldNodes) => {
      const field = fields[fieldNodes[0]?.name.value ?? ''];
      return field ? [this.#dependenciesOf(field, fieldNodes)] : [];
    });
  }
}

/** Whether objects of the type are rows of the catalog. */
const isRow = (type: GraphQLObjectType): boolean => type.getInterfaces().some(({ name }) => name === 'Node');

type SchemaCall = (source: unknown, args: Record<string, unknown>, context: unknown) => unknown;

/** The type resolvers of this schema do not use the resolve info. */
const NO_INFO = undefined as never;

const CLOSE = constant('}');
const UNKNOWN: Dependencies = { of: 'request', variables: [] };

function listWriter(before: string, write: WriteValue): WriteValue {
  const open = `${before}[`;
  return (value, out) => {
    if (!Array.isArray(value)) throw new NotWhole();
    out.text += open;
    for (let at = 0; at < value.length; at += 1) {
      if (out.text.length > out.most) out.stop();
      const item: unknown = value[at];
      if (at > 0) out.text += ',';
      if (item instanceof Promise) out.wait(item, write);
      else write(item, out);
    }
    out.text += ']';
  };
}

function readProperty(name: string, write: WriteValue): FieldWriter['write'] {
  return (source, out) => {
    const value = source[name];
    if (typeof value === 'function' || value instanceof Promise) throw new NotWhole();
    write(value, out);
  };
}

/** The arguments of a field for an operation's variables. @throws GraphQLError when a required variable is missing. */
export function argumentsMaker(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Record<string, unknown> {
  if (variablesOf(node).length === 0) {
    const constant = getArgumentValues(field, node, {});
    return () => constant;
  }
  // Each row of a list asks for the same arguments, and callers cache by the identity of the arguments object.
  const cached = new WeakMap<Variables, Record<string, unknown>>();
  return (variables) => {
    const hit = cached.get(variables);
    if (hit) return hit;
    const values = getArgumentValues(field, node, variables);
    cached.set(variables, values);
    return values;
  };
}

/** Names of the variables in a field's arguments. */
export function variablesOf({ arguments: args = [] }: FieldNode): string[] {
  return args.flatMap(({ value }) => variablesIn(value));
}

function variablesIn(value: ValueNode): string[] {
  if (value.kind === Kind.VARIABLE) return [value.name.value];
  if (value.kind === Kind.LIST) return value.values.flatMap(variablesIn);
  return value.kind === Kind.OBJECT ? value.fields.flatMap((field) => variablesIn(field.value)) : [];
}
