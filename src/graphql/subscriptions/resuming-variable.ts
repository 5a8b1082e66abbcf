// Finds the variable that only sets where a subscription resumes. Subscribers that differ only in it share all later
// results.
import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';

/** The argument of the root field that sets where a subscription resumes. */
const ARGUMENT = 'after';

/** The name of the variable that is used as the root field's `after` and nowhere else; undefined when there is none. */
export function resumingVariable(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): string | undefined {
  const [root] = selectionSet.selections;
  if (root?.kind !== Kind.FIELD || selectionSet.selections.length !== 1) return undefined;
  const value = root.arguments?.find(({ name }) => name.value === ARGUMENT)?.value;
  if (value?.kind !== Kind.VARIABLE) return undefined;
  const { value: name } = value.name;
  return usesOf(document, name) === 1 ? name : undefined;
}

/** How often a variable is used in a document, without its definitions. */
function usesOf(document: DocumentNode, name: string): number {
  let uses = 0;
  visit(document, {
    VariableDefinition: () => false,
    Variable: (node) => {
      if (node.name.value === name) uses += 1;
    },
  });
  return uses;
}
