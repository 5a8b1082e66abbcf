// Operations that arrive over a socket or an event stream: parsed, validated and bounded as over HTTP.
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { checkNesting } from '../../base/json/nesting.js';
import type { Charge } from '../../base/callers/points.js';
import { checkUnicode } from '../../base/json/unicode.js';
import type { Documents } from '../documents/documents.js';
import type { Limits } from '../documents/limits.js';
import type { PaidOperation } from '../documents/price.js';
import type { OperationRequest } from '../documents/request.js';
import { domainErrorOf, extensionsOf } from '../errors.js';
import { textOf } from '../execution/written-data.js';
import { resumingVariable } from './resuming-variable.js';

/** One operation that may run. */
export interface Operation {
  document: DocumentNode;
  node: OperationDefinitionNode;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** The points of the operation. */
  points: number;
  /**
   * The same for equal operations with equal variables, except that `after` may differ if it only sets the beginning.
   */
  key: string;
}

/** Finds operations that are valid and within the limits. */
export class Operations {
  constructor(
    private readonly documents: Documents,
    private readonly limits: Limits,
  ) {}

  /** The operation of a request, or why it is refused. @param charge pays for a new document. */
  of(request: OperationRequest, charge?: Charge): Operation | readonly GraphQLError[] {
    try {
      return this.#read(request, charge);
    } catch (error) {
      return [asGraphqlError(error)];
    }
  }

  #read(
    { operationName, variables, ...reference }: OperationRequest,
    charge?: Charge,
  ): Operation | readonly GraphQLError[] {
    checkNesting(variables, '"variables"', 'variables');
    checkUnicode(variables, 'variables');
    const { document, errors, hash } = this.documents.find(reference, charge);
    if (document === undefined) return errors;
    const node = getOperationAST(document, operationName);
    if (!node) return [coded('The document has no such operation, or several and none is named.', 'BAD_USER_INPUT')];
    const values = variables ?? {};
    const points = this.limits.check(document, node, values);
    return {
      points,
      document,
      node,
      operationName: operationName ?? undefined,
      variables: values,
      key: `${hash} ${operationName ?? ''} ${keyOf(values, resumingVariable(document, node))}`,
    };
  }
}

/** The variables as text in a fixed order, so that the client's order does not matter. */
function keyOf(variables: Readonly<Record<string, unknown>>, leftOut: string | undefined): string {
  const names = Object.keys(variables).filter((name) => name !== leftOut);
  return JSON.stringify(names.sort().map((name) => [name, variables[name]]));
}

const coded = (message: string, code: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

/** Any thrown value, as the one error of a result. */
export function asGraphqlError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const error = domainErrorOf(thrown);
  return new GraphQLError(error.message, { originalError: error, extensions: extensionsOf(error) });
}

/** Refunds the points that a query did not use. Mutations and failed operations cost their full price. */
export function refundQuery({ node }: Operation, paid: PaidOperation | undefined, result: ExecutionResult): void {
  if (node.operation === OperationTypeNode.QUERY && !result.errors) paid?.refundUnused(textOf(result).length);
}
