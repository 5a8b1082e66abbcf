// Operations as they come over a socket or an event stream: read, validated and bounded as over HTTP, each text once.
import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { domainErrorOf, extensionsOf, formatError } from '../errors.js';
import { checkLimits, MAX_TOKENS } from '../limits.js';
import { resumingVariable } from './resuming-variable.js';

/** Characters of document text that are kept parsed. */
const KEPT_CHARACTERS = 4_000_000;

/** What a client asks for, in any transport. */
export interface OperationRequest {
  query: string;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** One operation that may run. */
export interface Operation {
  document: DocumentNode;
  node: OperationDefinitionNode;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** The same for the same operation with the same variables, `after` left out where it only says where to begin. */
  key: string;
}

interface Read {
  document?: DocumentNode;
  errors: readonly GraphQLError[];
  hash: string;
}

/** Reads documents for one schema. */
export class Operations {
  readonly #read = new LRUCache<string, Read>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_read, text) => text.length + 1,
  });

  constructor(private readonly schema: GraphQLSchema) {}

  /** The operation of a request, or why it is refused. */
  of({ query, operationName, variables }: OperationRequest): Operation | readonly GraphQLError[] {
    const read = this.#read.get(query) ?? this.#keep(query);
    if (read.document === undefined) return read.errors;
    const node = getOperationAST(read.document, operationName);
    if (!node) return [coded('The document has no such operation, or several and none is named.', 'BAD_USER_INPUT')];
    const given = variables ?? {};
    try {
      checkLimits(this.schema, read.document, node, given);
    } catch (error) {
      return [new GraphQLError(domainErrorOf(error).message, { originalError: domainErrorOf(error) })];
    }
    return {
      document: read.document,
      node,
      operationName: operationName ?? undefined,
      variables: given,
      key: `${read.hash} ${operationName ?? ''} ${keyOf(given, resumingVariable(read.document, node))}`,
    };
  }

  #keep(query: string): Read {
    const read = this.#readNow(query);
    this.#read.set(query, read);
    return read;
  }

  #readNow(query: string): Read {
    const hash = createHash('sha256').update(query).digest('base64');
    try {
      const document = parse(query, { maxTokens: MAX_TOKENS });
      const errors = validate(this.schema, document);
      if (errors.length === 0) return { document, errors, hash };
      return { errors: errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')), hash };
    } catch (error) {
      return { errors: [withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')], hash };
    }
  }
}

/** Variables in one order, whatever order a client wrote them in. */
function keyOf(variables: Readonly<Record<string, unknown>>, leftOut: string | undefined): string {
  const names = Object.keys(variables).filter((name) => name !== leftOut);
  return JSON.stringify(names.sort().map((name) => [name, variables[name]]));
}

const coded = (message: string, code: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

function withCode(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code = code;
  return error;
}

/** Errors as clients see them over HTTP (contract §11), naming the request. */
export function formattedErrors(errors: readonly GraphQLError[], requestId: string): GraphQLFormattedError[] {
  return errors.map((error) => {
    const formatted = formatError(error.toJSON(), error);
    return { ...formatted, extensions: { ...formatted.extensions, requestId } };
  });
}

/** Whatever was thrown, as the one error of an answer. */
export function asGraphqlError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const error = domainErrorOf(thrown);
  return new GraphQLError(error.message, { originalError: error, extensions: extensionsOf(error) });
}
