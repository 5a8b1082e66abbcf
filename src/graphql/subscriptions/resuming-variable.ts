// Finds the variable that says after which event a subscription begins, when it says nothing else: listeners who differ in it alone get
// the same answers from then on.
import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';

/** The root argument that resumes. */
const ARGUMENT = 'after';

/** The name of the variable that is given to the root field's `after` and to nothing else; undefined when there is none. */
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

/** How often a variable is used in a document, its definitions left out. */
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
