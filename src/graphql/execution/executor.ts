// Runs one operation of a valid document: compiled if possible, otherwise by graphql-js. A compiled operation returns
// only results without errors. If it fails, graphql-js runs the operation again, so that messages, paths and the choice
// of errors are always those of graphql-js. A query may therefore run twice.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { after } from '../../base/concurrency/maybe-promise.js';
import { MAX_RESPONSE_BYTES } from '../../http/responses/response-bytes.js';
import { conditionVariables } from '../documents/document-facts.js';
import {
  type CompiledDocument,
  MAX_COMPILED_SELECTIONS,
  type PreparedDocument,
} from '../documents/prepared-document.js';
import { PreparedDocuments } from '../documents/prepared-documents.js';
import { ResponseSize, countFor, countingResolver } from './response-size.js';
import { CompiledOperation } from './compiled-operation.js';
import { collectFor, ResponseEntries } from './failed-entries.js';
import { Introspection } from './introspection.js';
import { only, type Variables } from './output.js';
import type { RowTextCache } from './row-text-cache.js';
import { refusedWith, writtenData } from './written-data.js';

/** What an operation runs with. `variables` are as the client gave them. */
export interface ExecutionRequest {
  variables?: Readonly<Record<string, unknown>> | null;
  /** The context of resolvers, with fresh loaders. */
  context: object;
  /** The catalog is unchanged while this returns the same value (graphql/execution/output.ts). */
  catalogVersion?: () => number | undefined;
  rootValue?: unknown;
  operationName?: string | null;
}

/** Executes one operation of a valid document. Never throws or rejects. The result is not a promise when nothing had to be awaited. */
export type Execute = (
  document: DocumentNode,
  operation: ExecutionRequest,
) => Promise<ExecutionResult> | ExecutionResult;

export type ExecutorKind = 'js' | 'compiled';

/** Sets of variables cached for each document, and the longest text of one. */
const MAX_VARIABLES = 50;
const MAX_VARIABLES_TEXT = 500;
/** Sets of @include and @skip values cached for each document. */
const MAX_VARIANTS = 4;
/**
 * How often an operation runs before its row texts are cached: for operations that run once or twice, caching costs
 * more than it saves.
 */
const RUNS_WITHOUT_CACHING = 2;
/** Root fields that do more than read our own store. They must not run twice. */
const ONCE_ONLY = new Set(['availableCredentials']);
/** graphql-js's own bound for errors of variables. */
const VARIABLE_ERRORS = { maxErrors: 50 };

/** How operations ran: by a compiled operation, or by graphql-js, which also runs again what a compiled operation could not complete. */
export interface ExecutionCounts {
  compiled: number;
  js: number;
  /** Compilations: two for each operation that is used often, the second with row texts. */
  compilations: number;
}

export interface ExecutorOptions {
  kind: ExecutorKind;
  /** The row text cache; undefined: nothing is cached. */
  rowTexts?: RowTextCache;
  /** Bytes that a response may have; default 16 MiB. */
  maxBytes?: number;
  /** The store of prepared documents. */
  documents?: PreparedDocuments;
  /** Counted here. */
  counts?: ExecutionCounts;
}

/** The executor of a schema whose resolvers `callDirectly` has replaced. */
export function makeExecutor(schema: GraphQLSchema, options: ExecutorOptions): Execute {
  const {
    kind,
    rowTexts,
    maxBytes = MAX_RESPONSE_BYTES,
    documents = new PreparedDocuments(),
    counts = newExecutionCounts(),
  } = options;
  const parts = { schema, rowTexts, maxBytes, documents, counts };
  const plain = plainExecutor(parts);
  return kind === 'js' ? plain : new OperationCompiler(parts, plain).execute;
}

export const newExecutionCounts = (): ExecutionCounts => ({ compiled: 0, js: 0, compilations: 0 });

interface ExecutorParts extends Required<Pick<ExecutorOptions, 'maxBytes' | 'documents' | 'counts'>> {
  schema: GraphQLSchema;
  rowTexts: RowTextCache | undefined;
}

function plainExecutor({ schema, documents, maxBytes, counts }: ExecutorParts): Execute {
  const introspection = new Introspection(schema, documents);
  return (document, operation) => {
    const result = introspection.result(document, operation);
    if (result) return result;
    counts.js += 1;
    const { variables, context, rootValue, operationName } = operation;
    const size = new ResponseSize(maxBytes);
    countFor(context, size);
    const entries = new ResponseEntries();
    collectFor(context, entries);
    const counting = countingResolver(size);
    const args: ExecutionArgs = {
      schema,
      document,
      contextValue: context,
      variableValues: variables,
      rootValue,
      operationName,
      fieldResolver: (source, ...rest) => {
        entries.add(source, rest[2]);
        return counting(source, ...rest);
      },
    };
    return after(execute(args), (result) => {
      size.addErrors(result.errors?.length ?? 0);
      if (result.errors) entries.name(result.errors);
      return size.refusal ? refusedWith(size.refusal) : result;
    });
  };
}

class OperationCompiler {
  constructor(
    private readonly parts: ExecutorParts,
    private readonly plain: Execute,
  ) {}

  readonly execute: Execute = (document, operation) => {
    const again = () => this.plain(document, operation);
    const node = getOperationAST(document, operation.operationName);
    // Only queries may run twice, so only queries are compiled.
    if (node?.operation !== OperationTypeNode.QUERY) return again();
    const { documents, maxBytes, counts } = this.parts;
    const prepared = documents.of(document);
    prepared.compiled ??= compiledDocument(prepared, document);
    const { compiled } = prepared;
    if (!compiled.conditionVariables) return again();
    const { context, rootValue, catalogVersion } = operation;
    const size = new ResponseSize(maxBytes);
    const otherwise = () => (size.refusal ? refusedWith(size.refusal) : again());
    const finished = (text: string) => {
      if (size.refuses(text)) return otherwise();
      counts.compiled += 1;
      return { data: writtenData(text) };
    };
    try {
      const variables = this.#variables(compiled, node, operation);
      if (!variables) return again();
      const compiledOperation = this.#operation(compiled, document, node, variables);
      const text = compiledOperation.write(rootValue, { context, variables, catalogVersion, size });
      return typeof text === 'string' ? finished(text) : text.then(finished, otherwise);
    } catch {
      return otherwise();
    }
  };

  #operation(
    { operations, conditionVariables: names = [] }: CompiledDocument,
    document: DocumentNode,
    node: OperationDefinitionNode,
    variables: Variables,
  ): CompiledOperation {
    const key = `${node.name?.value ?? ''} ${names.map((name) => variables[name])}`;
    const decided = only(variables, names);
    const { schema, rowTexts, counts } = this.parts;
    const compile = (texts?: RowTextCache) => {
      counts.compilations += 1;
      return new CompiledOperation(schema, document, node, decided, texts);
    };
    const entry = operations.get(key) ?? { runs: 0, operation: compile() };
    if (entry.runs === RUNS_WITHOUT_CACHING && rowTexts) entry.operation = compile(rowTexts);
    if (entry.runs === 0) operations.set(key, entry);
    entry.runs += 1;
    return entry.operation;
  }

  /** Variables coerced by graphql-js; undefined when they are invalid, which graphql-js then reports. */
  #variables(
    compiled: CompiledDocument,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    { variables }: ExecutionRequest,
  ): Variables | undefined {
    if (variableDefinitions.length === 0) return NONE;
    const key = `${name?.value ?? ''} ${JSON.stringify(variables) ?? ''}`;
    const cached = compiled.variables.get(key);
    if (cached) return cached;
    const values = getVariableValues(this.parts.schema, variableDefinitions, variables ?? {}, VARIABLE_ERRORS).coerced;
    if (values && key.length <= MAX_VARIABLES_TEXT) compiled.variables.set(key, values);
    return values;
  }
}

function compiledDocument(prepared: PreparedDocument, document: DocumentNode): CompiledDocument {
  return {
    conditionVariables:
      prepared.selections > MAX_COMPILED_SELECTIONS ? undefined : conditionVariables(document, ONCE_ONLY),
    operations: new LRUCache({ max: MAX_VARIANTS }),
    variables: new LRUCache({ max: MAX_VARIABLES }),
  };
}

const NONE: Variables = Object.freeze({});
