// The relation lists that an operation asks for: they are known from its document before the first row is read, so rows can be read
// together with their lists. Fields name their relation in `extensions.relation`.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fieldOf } from '../documents/cost.js';
import { argumentsMaker, variablesOf } from './compiled-operation.js';
import type { ExecutionRequest } from './executor.js';
import type { Variables } from './output.js';

/** A relation that is asked for somewhere in an operation, with the arguments of its field. */
export interface AskedRelation {
  relation: string;
  args: object;
}

interface RelationField {
  relation: string;
  hasVariables: boolean;
  argumentsOf(variables: Variables): object;
}

const FIELDS = new WeakMap<OperationDefinitionNode, readonly RelationField[]>();
const NONE: Variables = {};

/** The relations of an operation of a valid document; none if its variables are invalid. Fields with directives are left out. */
export function askedRelations(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: Pick<ExecutionRequest, 'operationName' | 'variables'>,
): AskedRelation[] {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return [];
  const fields = FIELDS.get(operation) ?? relationFields(schema, document, operation.selectionSet, root);
  FIELDS.set(operation, fields);
  const coerced = fields.some(({ hasVariables }) => hasVariables)
    ? getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}).coerced
    : NONE;
  return coerced ? fields.map(({ relation, argumentsOf }) => ({ relation, args: argumentsOf(coerced) })) : [];
}

/** Fields that name a relation, each fragment visited once. */
function relationFields(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  selectionSet: SelectionSetNode,
  root: GraphQLCompositeType,
): RelationField[] {
  const found: RelationField[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const visit = ({ selections }: SelectionSetNode, parent: GraphQLCompositeType): void => {
    for (const selection of selections) {
      if (selection.directives?.length) continue;
      if (selection.kind === Kind.FIELD) {
        const field = fieldOf(parent, selection.name.value);
        const relation = field?.extensions.relation;
        if (field && typeof relation === 'string') {
          const hasVariables = variablesOf(selection).length > 0;
          found.push({ relation, hasVariables, argumentsOf: argumentsMaker(field, selection) });
        }
        const type = field && getNamedType(field.type);
        if (selection.selectionSet && isCompositeType(type)) visit(selection.selectionSet, type);
        continue;
      }
      const part = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (part?.kind === Kind.FRAGMENT_DEFINITION) fragments.delete(part.name.value);
      const type = part?.typeCondition ? schema.getType(part.typeCondition.name.value) : parent;
      if (part && isCompositeType(type)) visit(part.selectionSet, type);
    }
  };
  visit(selectionSet, root);
  return found;
}
