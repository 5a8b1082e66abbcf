// Operations as they come over a socket or an event stream: read, validated and bounded as over HTTP.
import { type DocumentNode, GraphQLError, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { checkNesting } from '../../base/nesting.js';
import type { Documents } from '../documents/documents.js';
import type { Limits } from '../documents/limits.js';
import type { OperationRequest } from '../documents/request.js';
import { domainErrorOf, extensionsOf } from '../errors.js';
import { variablesText } from '../execution/variables-text.js';
import { resumingVariable } from './resuming-variable.js';

/** One operation that may run. */
export interface Operation {
  document: DocumentNode;
  node: OperationDefinitionNode;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** The same for the same operation with the same variables, `after` left out where it only says where to begin. */
  key: string;
}

/** Finds operations that are within the limits. */
export class Operations {
  constructor(
    private readonly documents: Documents,
    private readonly limits: Limits,
  ) {}

  /** The operation of a request, or why it is refused. */
  of(request: OperationRequest): Operation | readonly GraphQLError[] {
    try {
      return this.#read(request);
    } catch (error) {
      return [asGraphqlError(error)];
    }
  }

  #read({ operationName, variables, ...asked }: OperationRequest): Operation | readonly GraphQLError[] {
    checkNesting(variables, '"variables"', 'variables');
    const { document, errors, hash } = this.documents.find(asked);
    if (document === undefined) return errors;
    const node = getOperationAST(document, operationName);
    if (!node) return [coded('The document has no such operation, or several and none is named.', 'BAD_USER_INPUT')];
    const given = variables ?? {};
    this.limits.check(document, node, given);
    return {
      document,
      node,
      operationName: operationName ?? undefined,
      variables: given,
      key: `${hash} ${operationName ?? ''} ${keyOf(given, resumingVariable(document, node))}`,
    };
  }
}

/** Variables in one order, whatever order a client wrote them in. */
function keyOf(variables: Readonly<Record<string, unknown>>, leftOut: string | undefined): string {
  const names = Object.keys(variables).filter((name) => name !== leftOut);
  return variablesText(names.sort().map((name) => [name, variables[name]]));
}

const coded = (message: string, code: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

/** Whatever was thrown, as the one error of an answer. */
export function asGraphqlError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const error = domainErrorOf(thrown);
  return new GraphQLError(error.message, { originalError: error, extensions: extensionsOf(error) });
}
