// Runs one operation of a valid document: compiled where that gives the whole answer, else by graphql-js.
// The compiled form knows whole answers only. An answer with an error in it comes from graphql-js, which runs such an operation again:
// messages, paths, and which of several errors are told are then the same whoever ran it, and a query may be run twice.
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
  /** What resolvers get: with fresh loaders. */
  context: object;
  /** While it answers the same, so does the catalog (graphql/execution/output.ts). */
  age?: () => object | undefined;
  rootValue?: unknown;
  operationName?: string | null;
}

/** Executes one operation of a document that is valid; never throws, never rejects. The answer is there at once when nobody had to wait. */
export type Execute = (document: DocumentNode, operation: Operation) => Promise<ExecutionResult> | ExecutionResult;

export type ExecutorKind = 'js' | 'jit';

/** Documents of which the compiled operations are kept, and selections of them all, fragments written out: each takes some 700 bytes. */
const KEPT = 300;
const KEPT_SIZE = 30_000;
/** Sets of variables kept for each document, and the longest text of one. */
const KEPT_VARIABLES = 50;
const KEPT_TEXT = 500;
/** Sets of conditions kept for each document. */
const KEPT_VARIANTS = 4;
/** Selections, fragments written out, above which a document is not compiled: its functions would take too much memory. */
const MAX_SIZE = 1_000;
/** Runs of an operation before texts of its rows are kept: what comes once or twice is not worth it. */
const RUNS_WITHOUT_KEEPING = 2;
/** Root fields that do more than read our own store: nobody runs them twice. */
const ONCE_ONLY = new Set(['availableCredentials']);
/** graphql-js's own bound for errors of variables. */
const VARIABLE_ERRORS = { maxErrors: 50 };

export interface ExecutorOptions {
  kind: ExecutorKind;
  /** Where texts of rows are kept; none: they are made anew. */
  fragments?: RowTextCache;
  /** Bytes that an answer may have; 16 MiB when not given. */
  maxBytes?: number;
}

/** The executor of a schema, whose resolvers must have been made ready by `callDirectly`. */
export function makeExecutor(
  schema: GraphQLSchema,
  { kind, fragments, maxBytes = MAX_ANSWER_BYTES }: ExecutorOptions,
): Execute {
  return kind === 'js' ? plainly(schema, maxBytes) : new Compiler(schema, fragments, maxBytes).execute;
}

function plainly(schema: GraphQLSchema, maxBytes: number): Execute {
  const introspection = new Introspection(schema);
  return (document, operation) => {
    const known = introspection.result(document, operation);
    if (known) return known;
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

/** What is known of a document object; the same text is given as the same object for as long as it is remembered. */
interface PreparedDocument {
  size: number;
  /** Boolean variables that decide what is included; undefined when none of its operations is compiled. */
  conditions: string[] | undefined;
  /** By operation and conditions. */
  compiled: LRUCache<string, Compiled>;
  /** Coerced variables by operation and JSON text: the same object for the same values, so that what is made from it can be kept too. */
  coerced: LRUCache<string, Variables>;
}

class Compiler {
  readonly #known = new LRUCache<DocumentNode, PreparedDocument>({
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
    const known = this.#known.get(document) ?? this.#learn(document);
    const node = known.conditions && getOperationAST(document, operation.operationName);
    // Whatever is not a query is not run twice, so it is not compiled.
    if (node?.operation !== OperationTypeNode.QUERY) return again();
    const { context, rootValue, age } = operation;
    const size = new AnswerSize(this.maxBytes);
    const otherwise = () => (size.refusal ? refusedWith(size.refusal) : again());
    const finished = (text: string) => (size.refuses(text) ? otherwise() : { data: writtenData(text) });
    try {
      const variables = this.#variables(known, node, operation);
      if (!variables) return again();
      const compiled = this.#compiled(known, document, node, variables);
      const text = compiled.write(rootValue, { context, variables, age, size });
      return typeof text === 'string' ? finished(text) : text.then(finished, otherwise);
    } catch {
      return otherwise();
    }
  };

  #learn(document: DocumentNode): PreparedDocument {
    const size = sizeOf(document);
    const made = {
      size: Math.min(size, MAX_SIZE) + 1,
      conditions: size > MAX_SIZE ? undefined : conditionsOf(document, ONCE_ONLY),
      compiled: new LRUCache<string, Compiled>({ max: KEPT_VARIANTS }),
      coerced: new LRUCache<string, Variables>({ max: KEPT_VARIABLES }),
    };
    this.#known.set(document, made);
    return made;
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
    const known = compiled.get(key) ?? { runs: 0, operation: make() };
    if (known.runs === RUNS_WITHOUT_KEEPING && this.fragments) known.operation = make(this.fragments);
    if (known.runs === 0) compiled.set(key, known);
    known.runs += 1;
    return known.operation;
  }

  /** Coerced by graphql-js; undefined when they do not fit, which graphql-js then tells. */
  #variables(
    { coerced }: PreparedDocument,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    { variables }: Operation,
  ): Variables | undefined {
    if (variableDefinitions.length === 0) return NONE;
    const key = `${name?.value ?? ''} ${variablesText(variables)}`;
    const known = coerced.get(key);
    if (known) return known;
    const made = getVariableValues(this.schema, variableDefinitions, variables ?? {}, VARIABLE_ERRORS).coerced;
    if (made && key.length <= KEPT_TEXT) coerced.set(key, made);
    return made;
  }
}

const NONE: Variables = Object.freeze({});
