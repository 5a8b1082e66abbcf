// Introspection: the schema is fixed while the process runs, so each operation's response is computed once. Its size is bounded.
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import { isIntrospection } from '../documents/document-facts.js';
import { PreparedDocuments } from '../documents/prepared-documents.js';
import { ResponseSize } from './response-size.js';
import { CompiledOperation } from './compiled-operation.js';
import type { Variables } from './output.js';
import { refusedWith, writtenData } from './written-data.js';

/** Bytes of a response: ten times that of the standard query. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Selections of a document, with fragments expanded. */
const MAX_SELECTIONS = 2_000;
/** How many responses are cached, and the total of their characters. */
const MAX_RESPONSES = 50;
const MAX_CHARACTERS = 4 * MAX_BYTES;

interface IntrospectionQuery {
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** The text of a response, or why there is none. */
type Response = string | DomainError;

/** Computes and caches responses to introspection. */
export class Introspection {
  /** Keys are operation nodes: a repeated text is parsed to the same object while it is cached. */
  readonly #answers = new LRUCache<OperationDefinitionNode, Response>({
    max: MAX_RESPONSES,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (answer) => (typeof answer === 'string' ? answer.length : 0) + 1,
  });
  /** How many responses were computed since the process began. */
  computations = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly documents = new PreparedDocuments(),
  ) {}

  /** The result of an operation that asks only for the schema; undefined for all others, and when graphql-js must report errors. */
  result(document: DocumentNode, { operationName, variables }: IntrospectionQuery): ExecutionResult | undefined {
    const node = getOperationAST(document, operationName);
    if (node?.operation !== OperationTypeNode.QUERY) return undefined;
    if (!isIntrospection(this.documents.of(document).rootFields(node))) return undefined;
    const answer = this.#answers.get(node) ?? this.#make(document, node, variables ?? {});
    if (answer === undefined) return undefined;
    return typeof answer === 'string' ? { data: writtenData(answer) } : refusedWith(answer);
  }

  #make(document: DocumentNode, node: OperationDefinitionNode, values: Variables): Response | undefined {
    const { variableDefinitions = [] } = node;
    const variables = getVariableValues(this.schema, variableDefinitions, values).coerced;
    if (!variables) return undefined;
    this.computations += 1;
    const answer = this.#write(document, node, variables);
    if (answer !== undefined && variableDefinitions.length === 0) this.#answers.set(node, answer);
    return answer;
  }

  #write(document: DocumentNode, node: OperationDefinitionNode, variables: Variables): Response | undefined {
    if (this.documents.of(document).selections > MAX_SELECTIONS) return tooLarge();
    const size = new ResponseSize(MAX_BYTES);
    try {
      const text = new CompiledOperation(this.schema, document, node, variables).write(
        {},
        { context: {}, variables, size },
      );
      // Introspection awaits nothing.
      return typeof text === 'string' ? text : undefined;
    } catch {
      return size.refusal && tooLarge();
    }
  }
}

function tooLarge(): DomainError {
  return new DomainError(
    'QUERY_TOO_LARGE',
    `The introspection is larger than ${MAX_BYTES / 1024 / 1024} MiB, or has more than ${MAX_SELECTIONS} fields; ask for less.`,
  );
}
