// Finds where in a document the values are that validation refuses. graphql-js names only the node, and positions are
// hard to find in a long query.
import { type ASTNode, type DocumentNode, type GraphQLError, Kind, visit } from 'graphql';
import { fieldOf } from '../../base/input.js';

type Part = ASTNode | readonly ASTNode[];

/** Sets `extensions.field` of errors about arguments and their values, such as `where.category.in[0]`. */
export function addErrorFields(document: DocumentNode, errors: readonly GraphQLError[]): void {
  visit(document, {
    enter(node, _key, parent, path, ancestors) {
      const found = errors.filter(({ nodes }) => nodes?.[0] === node);
      if (found.length === 0 || parent === undefined) return;
      const field = placeOf([...ancestors, parent], path);
      for (const error of found) error.extensions.field = field;
    },
  });
}

/** @param path for each part, the key under which the next part is found. */
function placeOf(parts: readonly Part[], path: readonly (string | number)[]): string {
  const keys = parts.flatMap((part, depth): (string | number)[] => {
    if (!('kind' in part)) return isListOfValues(parts[depth - 1]) ? [path[depth] ?? 0] : [];
    if (part.kind === Kind.VARIABLE_DEFINITION) return ['variables', part.variable.name.value];
    return part.kind === Kind.ARGUMENT || part.kind === Kind.OBJECT_FIELD ? [part.name.value] : [];
  });
  return fieldOf(keys);
}

const isListOfValues = (part: Part | undefined): boolean =>
  part !== undefined && 'kind' in part && part.kind === Kind.LIST;
