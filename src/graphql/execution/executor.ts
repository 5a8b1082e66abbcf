// Runs one operation of a valid document: compiled if it can be, otherwise by graphql-js.
// A compiled operation writes only results without errors. When one fails, graphql-js runs it again, so that messages, paths and the choice
// of errors are always graphql-js's. A query may therefore run twice.
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
import { after } from '../../base/maybe-promise.js';
import { MAX_ANSWER_BYTES } from '../../http/answer-bytes.js';
import { conditionsOf, sizeOf } from '../documents/document-facts.js';
import { AnswerSize, countFor, countingResolver } from './answer-size.js';
import { CompiledOperation } from './compiled-operation.js';
import { Introspection } from './introspection.js';
import { only, type Variables } from './output.js';
import type { RowTextCache } from './row-text-cache.js';
import { variablesText } from './variables-text.js';
import { refusedWith, writtenData } from './written-data.js';

/** What an operation runs with. `variables` are as the client gave them. */
export interface Operation {
  variables?: Readonly<Record<string, unknown>> | null;
  /** What resolvers get, with fresh loaders. */
  context: object;
  /** The catalog is unchanged while this returns the same value (graphql/execution/output.ts). */
  catalogVersion?: () => object | undefined;
  rootValue?: unknown;
  operationName?: string | null;
}

/** Executes one operation of a valid document. Never throws or rejects. The result is not a promise when nothing had to be awaited. */
export type Execute = (document: DocumentNode, operation: Operation) => Promise<ExecutionResult> | ExecutionResult;

export type ExecutorKind = 'js' | 'jit';

/** How many documents have their compiled operations cached, and their total selections with fragments expanded, about 700 bytes each. */
const KEPT = 300;
const KEPT_SIZE = 30_000;
/** Sets of variables cached for each document, and the longest text of one. */
const KEPT_VARIABLES = 50;
const KEPT_TEXT = 500;
/** Sets of @include and @skip values cached for each document. */
const KEPT_VARIANTS = 4;
/** Documents with more selections, fragments expanded, are not compiled: their functions would take too much memory. */
const MAX_SIZE = 1_000;
/** How often an operation runs before its row texts are cached: for an operation that runs once or twice it does not pay. */
const RUNS_WITHOUT_KEEPING = 2;
/** Root fields that do more than read our own store, and therefore must not run twice. */
const ONCE_ONLY = new Set(['availableCredentials']);
/** graphql-js's own bound for errors of variables. */
const VARIABLE_ERRORS = { maxErrors: 50 };

export interface ExecutorOptions {
  kind: ExecutorKind;
  /** The row text cache; undefined: nothing is cached. */
  fragments?: RowTextCache;
  /** Bytes that a response may have; default 16 MiB. */
  maxBytes?: number;
}

/** The executor of a schema whose resolvers `callDirectly` has replaced. */
export function makeExecutor(
  schema: GraphQLSchema,
  { kind, fragments, maxBytes = MAX_ANSWER_BYTES }: ExecutorOptions,
): Execute {
  return kind === 'js' ? plainly(schema, maxBytes) : new Compiler(schema, fragments, maxBytes).execute;
}

function plainly(schema: GraphQLSchema, maxBytes: number): Execute {
  const introspection = new Introspection(schema);
  return (document, operation) => {
    const result = introspection.result(document, operation);
    if (result) return result;
    const { variables, context, rootValue, operationName } = operation;
    const size = new AnswerSize(maxBytes);
    countFor(context, size);
    const args: ExecutionArgs = {
      schema,
      document,
      contextValue: context,
      variableValues: variables,
      rootValue,
      operationName,
      fieldResolver: countingResolver(size),
    };
    return after(execute(args), (result) => {
      size.addErrors(result.errors?.length ?? 0);
      return size.refusal ? refusedWith(size.refusal) : result;
    });
  };
}

interface Compiled {
  runs: number;
  operation: CompiledOperation;
}

/** What was computed from a document object. The same text gives the same object while it is cached. */
interface PreparedDocument {
  size: number;
  /** The variables of its @include and @skip directives; undefined when none of its operations is compiled. */
  conditions: string[] | undefined;
  /** By operation and @include and @skip values. */
  compiled: LRUCache<string, Compiled>;
  /** Coerced variables by operation and JSON text: the same values give the same object, so other caches can use it as a key. */
  coerced: LRUCache<string, Variables>;
}

class Compiler {
  readonly #documents = new LRUCache<DocumentNode, PreparedDocument>({
    max: KEPT,
    maxSize: KEPT_SIZE,
    sizeCalculation: ({ size }) => size,
  });
  readonly #plain: Execute;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: RowTextCache | undefined,
    private readonly maxBytes: number,
  ) {
    this.#plain = plainly(schema, maxBytes);
  }

  readonly execute: Execute = (document, operation) => {
    const again = () => this.#plain(document, operation);
    const prepared = this.#documents.get(document) ?? this.#prepare(document);
    const node = prepared.conditions && getOperationAST(document, operation.operationName);
    // Only queries may run twice, so only queries are compiled.
    if (node?.operation !== OperationTypeNode.QUERY) return again();
    const { context, rootValue, catalogVersion } = operation;
    const size = new AnswerSize(this.maxBytes);
    const otherwise = () => (size.refusal ? refusedWith(size.refusal) : again());
    const finished = (text: string) => (size.refuses(text) ? otherwise() : { data: writtenData(text) });
    try {
      const variables = this.#variables(prepared, node, operation);
      if (!variables) return again();
      const compiled = this.#compiled(prepared, document, node, variables);
      const text = compiled.write(rootValue, { context, variables, catalogVersion, size });
      return typeof text === 'string' ? finished(text) : text.then(finished, otherwise);
    } catch {
      return otherwise();
    }
  };

  #prepare(document: DocumentNode): PreparedDocument {
    const size = sizeOf(document);
    const prepared = {
      size: Math.min(size, MAX_SIZE) + 1,
      conditions: size > MAX_SIZE ? undefined : conditionsOf(document, ONCE_ONLY),
      compiled: new LRUCache<string, Compiled>({ max: KEPT_VARIANTS }),
      coerced: new LRUCache<string, Variables>({ max: KEPT_VARIABLES }),
    };
    this.#documents.set(document, prepared);
    return prepared;
  }

  #compiled(
    { compiled, conditions = [] }: PreparedDocument,
    document: DocumentNode,
    node: OperationDefinitionNode,
    variables: Variables,
  ): CompiledOperation {
    const key = `${node.name?.value ?? ''} ${conditions.map((name) => variables[name])}`;
    const decided = only(variables, conditions);
    const make = (fragments?: RowTextCache) => new CompiledOperation(this.schema, document, node, decided, fragments);
    const entry = compiled.get(key) ?? { runs: 0, operation: make() };
    if (entry.runs === RUNS_WITHOUT_KEEPING && this.fragments) entry.operation = make(this.fragments);
    if (entry.runs === 0) compiled.set(key, entry);
    entry.runs += 1;
    return entry.operation;
  }

  /** Variables coerced by graphql-js; undefined when they are invalid, which graphql-js then reports. */
  #variables(
    { coerced }: PreparedDocument,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    { variables }: Operation,
  ): Variables | undefined {
    if (variableDefinitions.length === 0) return NONE;
    const key = `${name?.value ?? ''} ${variablesText(variables)}`;
    const cached = coerced.get(key);
    if (cached) return cached;
    const values = getVariableValues(this.schema, variableDefinitions, variables ?? {}, VARIABLE_ERRORS).coerced;
    if (values && key.length <= KEPT_TEXT) coerced.set(key, values);
    return values;
  }
}

const NONE: Variables = Object.freeze({});
