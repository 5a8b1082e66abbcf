// The cost of an operation, computed from its document, variables and schema before it runs: its depth, how many objects and values
// its response may have, and how many lists must be counted. Each fragment is measured once, however often it is spread.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { CONNECTION_SIZE } from '../../base/input.js';
import { introspectionSizes } from './introspection-sizes.js';

/** The size assumed for a list without a page or a `size`: accepted credentials of a program, the data points of a schema. */
const LIST_SIZE = 5;
/** The cost of counting a filtered list, in values: it reads up to 10,000 index entries. */
const COUNT_COST = 5_000;

export interface Cost {
  /** Levels of fields below the operation. */
  depth: number;
  /** Objects and values of the response, rows that are read but not returned, and lists that are counted. */
  values: number;
  /** The same below `__schema` and `__type`. */
  introspectionDepth: number;
  introspectionValues: number;
}

/** The cost of a selection set. `values` counts once, `perRow` once more for each row of the page that it is in. */
interface Measure extends Cost {
  perRow: number;
  /** Whether it selects the total of its page. */
  totals: boolean;
}

const NOTHING: Measure = {
  depth: 0,
  values: 0,
  introspectionDepth: 0,
  introspectionValues: 0,
  perRow: 0,
  totals: false,
};
const LEAF: Measure = { ...NOTHING, depth: 1, values: 1 };

type Field = GraphQLField<unknown, unknown>;

/** The cost of one operation of a valid document. `variables`: as sent, or their defaults. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Cost {
  const root = schema.getRootType(operation.operation);
  if (!root) return NOTHING;
  const values = { ...defaultsOf(operation), ...variables };
  const measure = new Measurer(schema, document, values).selections(operation.selectionSet, root);
  return { ...measure, values: measure.values + LIST_SIZE * measure.perRow };
}

/** Defaults of whole-number variables, the only ones that page sizes come from. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, number> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );
}

class Measurer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
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

  selections({ selections }: SelectionSetNode, parent: GraphQLCompositeType): Measure {
    const spread = new Set<string>();
    let sum = NOTHING;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) sum = add(sum, this.#field(selection, parent));
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        sum = add(
          sum,
          this.selections(selection.selectionSet, this.#type(selection.typeCondition?.name.value, parent)),
        );
      // Spreading a fragment twice in one place costs the same as once.
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        sum = add(sum, this.#fragment(selection.name.value));
      }
    }
    return sum;
  }

  #fragment(name: string): Measure {
    const measured = this.#measured.get(name);
    if (measured) return measured;
    const fragment = this.#fragments.get(name);
    const parent = fragment && this.schema.getType(fragment.typeCondition.name.value);
    const measure = fragment && isCompositeType(parent) ? this.selections(fragment.selectionSet, parent) : NOTHING;
    this.#measured.set(name, measure);
    return measure;
  }

  #field(node: FieldNode, parent: GraphQLCompositeType): Measure {
    const field = fieldOf(parent, node.name.value);
    if (!field) return LEAF;
    const size = isListType(getNullableType(field.type)) ? this.#listSize(node, parent, field) : 1;
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type))
      return { ...LEAF, values: size, totals: /^totalCount/.test(field.name) };
    const below = this.selections(node.selectionSet, type);
    const measure = { ...below, depth: below.depth + 1, totals: false };
    if (isIntrospectionType(type) && !isIntrospectionType(parent)) return introspection(measure);
    if (isPageList(parent, field)) return { ...measure, values: 0, perRow: inOne(below) };
    if (isPaged(field)) return { ...measure, values: this.#page(node, field, below), perRow: 0 };
    if (size === 1) return { ...measure, values: 1 + below.values };
    return { ...measure, values: size * inOne(below), perRow: 0 };
  }

  /** Values of a page. Its rows are read even if the query selects none. */
  #page(node: FieldNode, field: Field, below: Measure): number {
    const args = (node.arguments ?? []).filter(({ value }) => !isNothing(value));
    const sizes = args
      .filter(({ name }) => name.value === 'first' || name.value === 'last')
      .map(({ value }) => this.#number(value))
      .filter((size) => size !== undefined);
    const size = Math.max(1, ...(sizes.length > 0 ? sizes : [CONNECTION_SIZE.usual]));
    const counted = field.extensions.counted === true || args.some(({ name }) => name.value === 'where');
    return 1 + below.values + size * Math.max(1, below.perRow) + (counted && below.totals ? COUNT_COST : 0);
  }

  /** The entries of a list without a page: by its arguments if it has a `sizeBy`, else fixed. */
  #listSize(node: FieldNode, parent: GraphQLCompositeType, field: Field): number {
    const { sizeBy } = field.extensions;
    if (typeof sizeBy !== 'function') return listSize(this.schema, parent, field);
    const args = (node.arguments ?? []).map(({ name, value }) => [
      name.value,
      valueFromASTUntyped(value, this.variables),
    ]);
    return Number(sizeBy(Object.fromEntries(args)));
  }

  #number(value: ValueNode): number | undefined {
    const size =
      value.kind === Kind.VARIABLE ? this.variables[value.name.value] : value.kind === Kind.INT && value.value;
    return typeof size === 'number' || typeof size === 'string' ? Number(size) || undefined : undefined;
  }

  #type(name: string | undefined, otherwise: GraphQLCompositeType): GraphQLCompositeType {
    const type = name === undefined ? otherwise : this.schema.getType(name);
    return isCompositeType(type) ? type : otherwise;
  }
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    values: a.values + b.values,
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionValues: a.introspectionValues + b.introspectionValues,
    perRow: a.perRow + b.perRow,
    totals: a.totals || b.totals,
  };
}

/** The values of one object with everything below it. Rows below it whose page is not known count as LIST_SIZE rows. */
const inOne = ({ values, perRow }: Measure): number => 1 + values + LIST_SIZE * perRow;

const introspection = (below: Measure): Measure => ({
  ...NOTHING,
  introspectionDepth: below.depth,
  introspectionValues: inOne(below),
});

/** A field of a type, including the fields that every schema has. */
export function fieldOf(parent: GraphQLCompositeType, name: string): Field | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** Whether a field returns a page or, as search does, several pages of one size. */
const isPaged = ({ args }: Field): boolean => args.some(({ name }) => name === 'first');

/** Whether a list holds the rows of a page. */
function isPageList(parent: GraphQLCompositeType, { name }: Field): boolean {
  if (!isObjectType(parent)) return false;
  const fields = parent.getFields();
  return name === 'items' ? 'total' in fields : (name === 'nodes' || name === 'edges') && 'totalCount' in fields;
}

function listSize(schema: GraphQLSchema, parent: GraphQLCompositeType, field: Field): number {
  const { size } = field.extensions;
  if (typeof size === 'number') return size;
  return introspectionSizes(schema).get(`${parent.name}.${field.name}`) ?? LIST_SIZE;
}

/** Whether an argument's value is null or an empty object, and so selects nothing. */
const isNothing = (value: ValueNode): boolean =>
  value.kind === Kind.NULL || (value.kind === Kind.OBJECT && value.fields.length === 0);
