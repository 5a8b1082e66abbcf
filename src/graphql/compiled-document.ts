// One operation as graphql-jit may compile it. The compiler is given no directives, no arguments and no variables: which selections
// are included is decided before, per set of conditions, and graphql-js's own functions make the arguments when a field runs. It thus
// has no rules of its own to get wrong (it has: missing variables inside input objects, fragments under different conditions), and no
// text of a client gets into the code that it writes.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';

/** Coerced variables, as graphql-js's `getVariableValues` makes them. */
export type Variables = Readonly<Record<string, unknown>>;
/** The arguments of a field, for an operation's variables. @throws GraphQLError when a variable is missing that must be there. */
export type ArgumentsOf = (variables: Variables) => Record<string, unknown>;

/** The one variable of a compiled operation: a `Given`. */
export const GIVEN = 'given';

/** A place of compiled code where a field's resolver is called: the field, and which of a document's selections asks for it. */
export interface Call {
  field: GraphQLField<unknown, unknown>;
  /** Index in `BareDocument.fields`. */
  at: number;
}

/** One document as code that was compiled for its shape needs it: who runs the code brings the arguments of its own document. */
export class DocumentArguments {
  readonly #made: ArgumentsOf[] = [];

  /** `fields`: of a `BareDocument` with the shape that was compiled. */
  constructor(private readonly fields: readonly FieldNode[]) {}

  /** The arguments at a place of the compiled code. @throws GraphQLError for values that validation should have refused. */
  at(place: number, { field, at }: Call, variables: Variables): Record<string, unknown> {
    const made = this.#made[place] ?? argumentsOf(field, this.fields[at]);
    this.#made[place] = made;
    return made(variables);
  }
}

/** What a compiled operation runs with. */
export interface Given {
  document: DocumentArguments;
  variables: Variables;
}

function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode | undefined): ArgumentsOf {
  if (!node) throw new Error(`the shape of an operation has no selection for ${field.name}`);
  if (!(node.arguments ?? []).some(({ value }) => hasVariable(value))) {
    const constant = getArgumentValues(field, node, {});
    return () => constant;
  }
  // A list asks for the same arguments once for each of its rows.
  let last: { variables: Variables; args: Record<string, unknown> } | undefined;
  return (variables) => {
    if (last?.variables !== variables) last = { variables, args: getArgumentValues(field, node, variables) };
    return last.args;
  };
}

/**
 * Names of the Boolean variables that decide what the operations of a document include; undefined when it holds what is not compiled:
 * introspection, or a field of `never`.
 */
export function conditionsOf(document: DocumentNode, never: ReadonlySet<string>): string[] | undefined {
  const names = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) return undefined;
    if (!addConditions(definition.selectionSet, names, never)) return undefined;
  }
  return [...names].sort();
}

function addConditions({ selections }: SelectionSetNode, names: Set<string>, never: ReadonlySet<string>): boolean {
  return selections.every((selection) => {
    for (const { arguments: [condition] = [] } of selection.directives ?? []) {
      if (condition?.value.kind === Kind.VARIABLE) names.add(condition.value.name.value);
    }
    if (selection.kind === Kind.FIELD && (never.has(selection.name.value) || !isPlain(selection))) return false;
    return (
      !('selectionSet' in selection && selection.selectionSet) || addConditions(selection.selectionSet, names, never)
    );
  });
}

/** Introspection has resolvers of its own, and a key named __proto__ is not a key in the objects that the compiled code makes. */
function isPlain({ name, alias }: FieldNode): boolean {
  return alias?.value !== '__proto__' && (!name.value.startsWith('__') || name.value === '__typename');
}

/** How many selections an operation has with its fragments written out; each fragment is measured once. */
export function sizeOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = fragmentsOf(document);
  const known = new Map<string, number>();
  const size = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind !== Kind.FRAGMENT_SPREAD)
        return sum + 1 + (selection.selectionSet ? size(selection.selectionSet) : 0);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      const below = known.get(name) ?? (fragment ? size(fragment.selectionSet) : 0);
      known.set(name, below);
      return sum + 1 + below;
    }, 0);
  return size(operation.selectionSet);
}

/** The operation as the compiler gets it, and the way back from its fields to the real ones. */
export class BareDocument {
  readonly document: DocumentNode;
  /** The real fields, in an order that is the same in all documents of one shape. */
  readonly fields: FieldNode[] = [];
  readonly #indexes = new Map<FieldNode, number>();
  readonly #shape: string[] = [];

  constructor(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {
    const fragments = [...fragmentsOf(document).values()];
    const { name: _, ...unnamed } = operation;
    this.document = {
      kind: Kind.DOCUMENT,
      loc: document.loc,
      definitions: [
        {
          ...unnamed,
          directives: [],
          variableDefinitions: [GIVEN_DEFINITION],
          selectionSet: this.#set(operation.selectionSet),
        },
        ...fragments.map((fragment) => this.#fragment(fragment)),
      ],
    };
  }

  /** Equal texts: the same compiled code, whatever the operation's name and the arguments' values. */
  get shape(): string {
    return this.#shape.join('');
  }

  /** Which of `fields` a field of the bare document stands for. */
  indexOf(bare: FieldNode): number {
    return this.#indexes.get(bare) ?? -1;
  }

  #fragment(fragment: FragmentDefinitionNode): FragmentDefinitionNode {
    this.#shape.push(`fragment ${fragment.name.value} on ${fragment.typeCondition.name.value}`);
    return { ...fragment, directives: [], selectionSet: this.#set(fragment.selectionSet) };
  }

  #set({ selections, ...set }: SelectionSetNode): SelectionSetNode {
    this.#shape.push('{');
    const bare = selections.flatMap((selection) => (this.#includes(selection) ? [this.#selection(selection)] : []));
    this.#shape.push('}');
    return { ...set, selections: bare };
  }

  #selection(selection: SelectionNode): SelectionNode {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      this.#shape.push(`...${selection.name.value} `);
      return { ...selection, directives: [] };
    }
    if (selection.kind === Kind.FIELD) return this.#field(selection);
    this.#shape.push(`... on ${selection.typeCondition?.name.value ?? ''}`);
    return { ...selection, directives: [], selectionSet: this.#set(selection.selectionSet) };
  }

  #field(field: FieldNode): FieldNode {
    const names = (field.arguments ?? []).map(({ name }) => name.value);
    this.#shape.push(`${field.alias?.value ?? ''}:${field.name.value}(${names}) `);
    const index = this.fields.push(field) - 1;
    const bare: FieldNode = {
      ...field,
      directives: [],
      // The compiler refuses a field that lacks a required argument; what it makes of this is not used.
      arguments: field.arguments?.map((argument) => ({ ...argument, value: GIVEN_VARIABLE })),
      selectionSet: field.selectionSet && this.#set(field.selectionSet),
    };
    this.#indexes.set(bare, index);
    return bare;
  }

  #includes({ directives = [] }: SelectionNode): boolean {
    return directives.every(({ name, arguments: [condition] = [] }) => {
      const value = condition?.value;
      const holds =
        value?.kind === Kind.VARIABLE
          ? this.variables[value.name.value] === true
          : value?.kind === Kind.BOOLEAN && value.value;
      return name.value === 'skip' ? !holds : holds;
    });
  }
}

const GIVEN_NAME = { kind: Kind.NAME, value: GIVEN } as const;
const GIVEN_VARIABLE = { kind: Kind.VARIABLE, name: GIVEN_NAME } as const;
/** Typed as the scalar that takes every value as it is. */
const GIVEN_DEFINITION: VariableDefinitionNode = {
  kind: Kind.VARIABLE_DEFINITION,
  variable: GIVEN_VARIABLE,
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } },
};

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}
