// What a document may ask for, judged before anything runs: depth, and how many nodes its page sizes multiply to.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { DomainError } from '../errors.js';

/** Lexical tokens of a document. */
export const MAX_TOKENS = 1_000;
/** Levels of fields below the operation. */
export const MAX_DEPTH = 12;
/** Levels below __schema and __type: the standard introspection query has 15. */
export const MAX_INTROSPECTION_DEPTH = 20;
/** Nodes that the page sizes of an operation multiply to. */
export const MAX_NODES = 10_000;

/** What a connection gives when no size is asked for. */
const DEFAULT_SIZE = 10;

interface Measure {
  depth: number;
  nodes: number;
  introspectionDepth: number;
}

const NOTHING: Measure = { depth: 0, nodes: 0, introspectionDepth: 0 };

class Measurer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Each fragment is measured once: documents whose fragments double at every level stay cheap. */
  readonly #measured = new Map<string, Measure>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  selections(set: SelectionSetNode, parent: GraphQLCompositeType): Measure {
    return set.selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return add(sum, this.#field(selection, parent));
      if (selection.kind === Kind.FRAGMENT_SPREAD) return add(sum, this.#fragment(selection.name.value));
      return add(sum, this.selections(selection.selectionSet, this.#type(selection.typeCondition?.name.value, parent)));
    }, NOTHING);
  }

  #fragment(name: string): Measure {
    const known = this.#measured.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    const parent = this.schema.getType(fragment.typeCondition.name.value);
    const measure = isCompositeType(parent) ? this.selections(fragment.selectionSet, parent) : NOTHING;
    this.#measured.set(name, measure);
    return measure;
  }

  #field(node: FieldNode, parent: GraphQLCompositeType): Measure {
    if (node.name.value === '__schema' || node.name.value === '__type') {
      return { ...NOTHING, introspectionDepth: levels(node, this.#fragments) };
    }
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    const type = field && getNamedType(field.type);
    if (!field || !node.selectionSet || !isCompositeType(type)) return { ...NOTHING, depth: 1 };
    const below = this.selections(node.selectionSet, type);
    return { ...below, depth: below.depth + 1, nodes: this.#nodes(node, field, below.nodes) };
  }

  /** Nodes of a field: a page multiplies what is below it; anything else passes on what is below. */
  #nodes(node: FieldNode, field: GraphQLField<unknown, unknown>, below: number): number {
    if (!field.args.some(({ name }) => name === 'first')) return below;
    const sizes = (node.arguments ?? [])
      .filter(({ name }) => name.value === 'first' || name.value === 'last')
      .map(({ value }) => this.#number(value))
      .filter((size) => size !== undefined);
    return Math.max(1, ...(sizes.length > 0 ? sizes : [DEFAULT_SIZE])) * Math.max(below, 1);
  }

  #number(value: ValueNode): number | undefined {
    const given =
      value.kind === Kind.VARIABLE ? this.variables[value.name.value] : value.kind === Kind.INT && value.value;
    return typeof given === 'number' || typeof given === 'string' ? Number(given) || undefined : undefined;
  }

  #type(name: string | undefined, otherwise: GraphQLCompositeType): GraphQLCompositeType {
    const type = name === undefined ? otherwise : this.schema.getType(name);
    return isCompositeType(type) ? type : otherwise;
  }
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    nodes: a.nodes + b.nodes,
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  };
}

/** Levels of an introspection field; fragments once each, as above. */
function levels(node: FieldNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  const known = new Map<string, number>();
  const deepest = (set: SelectionSetNode): number =>
    Math.max(
      0,
      ...set.selections.map((selection) => {
        if (selection.kind === Kind.FIELD) return 1 + (selection.selectionSet ? deepest(selection.selectionSet) : 0);
        if (selection.kind === Kind.INLINE_FRAGMENT) return deepest(selection.selectionSet);
        const name = selection.name.value;
        const found =
          known.get(name) ?? deepest(fragments.get(name)?.selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] });
        known.set(name, found);
        return found;
      }),
    );
  return 1 + (node.selectionSet ? deepest(node.selectionSet) : 0);
}

/** Defaults of whole-number variables: all that page sizes can come from. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, number> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );
}

/** @throws DomainError QUERY_TOO_LARGE for an operation of a valid document that is too deep or asks for too many nodes. */
export function checkLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>> = {},
): void {
  const root = schema.getRootType(operation.operation);
  if (!root) return;
  const variables = { ...defaultsOf(operation), ...given };
  const { depth, nodes, introspectionDepth } = new Measurer(schema, document, variables).selections(
    operation.selectionSet,
    root,
  );
  if (depth > MAX_DEPTH) throw tooLarge(`The query is ${depth} levels deep; at most ${MAX_DEPTH} are allowed.`);
  if (introspectionDepth > MAX_INTROSPECTION_DEPTH) {
    throw tooLarge(
      `The introspection is ${introspectionDepth} levels deep; at most ${MAX_INTROSPECTION_DEPTH} are allowed.`,
    );
  }
  if (nodes > MAX_NODES) {
    throw tooLarge(`The query asks for up to ${nodes} nodes; at most ${MAX_NODES} are allowed: ask for smaller pages.`);
  }
}

function tooLarge(message: string): DomainError {
  return new DomainError('QUERY_TOO_LARGE', message);
}
