// Facts about a document, computed before any of its operations is compiled.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Names of the Boolean variables in the document's @include and @skip directives. Undefined if it contains something
 * that is not compiled: introspection, or a field of `never`.
 */
export function conditionVariables(document: DocumentNode, never: ReadonlySet<string>): string[] | undefined {
  const names = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) return undefined;
    if (!addVariables(definition.selectionSet, names, never)) return undefined;
  }
  return [...names].sort();
}

function addVariables({ selections }: SelectionSetNode, names: Set<string>, never: ReadonlySet<string>): boolean {
  return selections.every((selection) => {
    for (const { arguments: [condition] = [] } of selection.directives ?? []) {
      if (condition?.value.kind === Kind.VARIABLE) names.add(condition.value.name.value);
    }
    if (selection.kind === Kind.FIELD && (never.has(selection.name.value) || !isPlain(selection))) return false;
    return (
      !('selectionSet' in selection && selection.selectionSet) || addVariables(selection.selectionSet, names, never)
    );
  });
}

/** Whether a field is not introspection, which has its own resolvers. */
function isPlain({ name }: FieldNode): boolean {
  return !name.value.startsWith('__') || name.value === '__typename';
}

/** The number of selections in a document's operations with fragments expanded; each fragment is measured once. */
export function sizeOf({ definitions }: DocumentNode): number {
  const fragments = fragmentsOf(definitions);
  const sizes = new Map<string, number>();
  const size = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind !== Kind.FRAGMENT_SPREAD)
        return sum + 1 + (selection.selectionSet ? size(selection.selectionSet) : 0);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      const below = sizes.get(name) ?? (fragment ? size(fragment.selectionSet) : 0);
      sizes.set(name, below);
      return sum + 1 + below;
    }, 0);
  return definitions.reduce((sum, definition) => {
    return definition.kind === Kind.OPERATION_DEFINITION ? sum + size(definition.selectionSet) : sum;
  }, 0);
}

/** Names of an operation's root fields; each fragment is visited once. */
export function rootFields({ definitions }: DocumentNode, operation: OperationDefinitionNode): string[] {
  const fragments = fragmentsOf(definitions);
  const names = new Set<string>();
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        fragments.delete(selection.name.value);
        if (fragment) add(fragment.selectionSet);
      }
    }
  };
  add(operation.selectionSet);
  return [...names];
}

function fragmentsOf(definitions: DocumentNode['definitions']): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** Whether an operation with these root fields asks only for the schema. */
export function isIntrospection(names: readonly string[]): boolean {
  return names.every((name) => name.startsWith('__')) && names.some((name) => name !== '__typename');
}
