// Runs one operation of a valid document: compiled by graphql-jit once it was seen a few times, else by graphql-js.
// The compiled form gives whole answers only. An answer with an error in it comes from graphql-js, which runs such an operation again:
// messages, paths, and which of several errors are told are then the same whoever ran it, and a query may be run twice.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import {
  BareDocument,
  conditionsOf,
  DocumentArguments,
  GIVEN,
  type Given,
  sizeOf,
  type Variables,
} from './compiled-document.js';

/** What an operation runs with. `variables` are as the client gave them. */
export interface Operation {
  variables?: Readonly<Record<string, unknown>> | null;
  /** What resolvers get: with fresh loaders. */
  context: object;
  rootValue?: unknown;
  operationName?: string | null;
}

/** Executes one operation of a document that is valid; never throws, never rejects. The answer is there at once when nobody had to wait. */
export type Execute = (document: DocumentNode, operation: Operation) => Promise<ExecutionResult> | ExecutionResult;

export type ExecutorKind = 'js' | 'jit';

/** Sightings after which an operation is compiled: compiling takes as long as running it a few dozen times. */
const SIGHTINGS = 3;
/** Operations that are kept compiled (some 100 kB each), or counted on their way there. */
const KEPT = 300;
/** Sets of variables kept for each document, and the longest text of one. */
const KEPT_VARIABLES = 50;
const KEPT_TEXT = 500;
/** Sets of conditions kept for each document. */
const KEPT_VARIANTS = 16;
/** Selections, fragments written out, above which compiling would block everyone else for too long. */
const MAX_SIZE = 1_000;
/** Root fields that do more than read our own store: nobody runs them twice. */
const ONCE_ONLY = new Set(['availableCredentials']);
/** graphql-js's own bound for errors of variables. */
const VARIABLE_ERRORS = { maxErrors: 50 };

type Run = (rootValue: unknown, context: object, given: Given) => Promise<ExecutionResult> | ExecutionResult;

/** All operations of one shape: how often they were seen, and their code. `run` is null for what is not compiled. */
interface Plan {
  seen: number;
  run?: Run | null;
}

/** An operation of one document, with one set of conditions. */
interface Variant {
  shape: string;
  document: DocumentArguments;
}

/**
 * The executor of a schema, whose resolvers must have been made ready by `callDirectly`. `sightings`: how often an operation is seen
 * before it is compiled.
 */
export function makeExecutor(schema: GraphQLSchema, kind: ExecutorKind, sightings = SIGHTINGS): Execute {
  const plain: Execute = (document, operation) => execute(argsOf(schema, document, operation));
  return kind === 'js' ? plain : new Compiler(schema, plain, sightings).execute;
}

function argsOf(schema: GraphQLSchema, document: DocumentNode, operation: Operation): ExecutionArgs {
  const { variables, context, rootValue, operationName } = operation;
  return { schema, document, contextValue: context, variableValues: variables, rootValue, operationName };
}

/** What is known of a document object; Apollo's cache gives the same object for the same text. */
interface Known {
  /** By operation and conditions. */
  variants: LRUCache<string, Variant>;
  /** Boolean variables that decide what is included; undefined when none of its operations is compiled. */
  conditions: string[] | undefined;
  /** Coerced variables by operation and JSON text: the same object for the same values, so that what is made from it can be kept too. */
  coerced: LRUCache<string, Variables>;
}

class Compiler {
  readonly #documents = new WeakMap<DocumentNode, Known>();
  readonly #plans = new LRUCache<string, Plan>({ max: KEPT });

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly plain: Execute,
    private readonly sightings: number,
  ) {}

  readonly execute: Execute = (document, operation) => {
    const known = this.#known(document);
    const node = known.conditions && getOperationAST(document, operation.operationName);
    // Whatever is not a query is not run twice, so it is not compiled.
    if (node?.operation !== OperationTypeNode.QUERY) return this.plain(document, operation);
    const variables = this.#variables(known, node, operation);
    const conditions = known.conditions?.map((name) => variables?.[name]);
    if (!variables || !conditions?.every((value) => typeof value === 'boolean')) return this.plain(document, operation);
    const key = `${operation.operationName ?? ''} ${conditions}`;
    const variant = known.variants.get(key) ?? variantOf(known, key, new BareDocument(document, node, variables));
    const plan = this.#plan(variant.shape);
    plan.seen += 1;
    if (plan.run === undefined && plan.seen > this.sightings) plan.run = this.#compile(document, node, variables);
    if (!plan.run) return this.plain(document, operation);
    const again = (): ReturnType<Execute> => this.plain(document, operation);
    return wholeOr(again, plan.run, operation, { document: variant.document, variables });
  };

  #known(document: DocumentNode): Known {
    const known = this.#documents.get(document);
    if (known) return known;
    const made = {
      conditions: conditionsOf(document, ONCE_ONLY),
      coerced: new LRUCache<string, Variables>({ max: KEPT_VARIABLES }),
      variants: new LRUCache<string, Variant>({ max: KEPT_VARIANTS }),
    };
    this.#documents.set(document, made);
    return made;
  }

  /** Coerced by graphql-js; undefined when they do not fit, which graphql-js then tells. */
  #variables(
    { coerced }: Known,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    { variables }: Operation,
  ): Variables | undefined {
    if (variableDefinitions.length === 0) return NONE;
    const key = `${name?.value ?? ''} ${JSON.stringify(variables)}`;
    const known = coerced.get(key);
    if (known) return known;
    const made = getVariableValues(this.schema, variableDefinitions, variables ?? {}, VARIABLE_ERRORS).coerced;
    if (made && key.length <= KEPT_TEXT) coerced.set(key, made);
    return made;
  }

  #plan(key: string): Plan {
    const plan = this.#plans.get(key) ?? { seen: 0 };
    if (plan.seen === 0) this.#plans.set(key, plan);
    return plan;
  }

  #compile(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): Run | null {
    if (sizeOf(document, operation) > MAX_SIZE) return null;
    const bare = new BareDocument(document, operation, variables);
    let places = 0;
    try {
      const compiled = compileQuery(this.schema, bare.document, undefined, {
        disablingCapturingStackErrors: true,
        resolverInfoEnricher: ({ parentType, fieldName, fieldNodes: [node] }) => {
          const field = isObjectType(parentType) ? parentType.getFields()[fieldName] : undefined;
          if (!field || !node) return {};
          places += 1;
          return { place: places - 1, called: { field, at: bare.indexOf(node) } };
        },
      });
      if (!isCompiledQuery(compiled)) return null;
      return (rootValue, context, given) => compiled.query(rootValue, context, { [GIVEN]: given });
    } catch {
      // What the compiler cannot take, graphql-js can.
      return null;
    }
  }
}

const NONE: Variables = Object.freeze({});

function variantOf({ variants }: Known, key: string, bare: BareDocument): Variant {
  const made = { shape: bare.shape, document: new DocumentArguments(bare.fields) };
  variants.set(key, made);
  return made;
}

/** A compiled run's answer when it is without errors; else graphql-js's. */
function wholeOr(
  again: () => ReturnType<Execute>,
  run: Run,
  { rootValue, context }: Operation,
  given: Given,
): ReturnType<Execute> {
  try {
    const result = run(rootValue, context, given);
    if (!('then' in result)) return result.errors ? again() : result;
    return result.then((late) => (late.errors ? again() : late), again);
  } catch {
    return again();
  }
}
