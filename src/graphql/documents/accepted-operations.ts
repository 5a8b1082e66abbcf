// Operations that passed Apollo's checks before: parsed, valid and within the limits. They run without repeating the checks.
import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Limits } from './limits.js';

/** A request's body, which is outside data. */
interface OperationBody {
  query: string;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** An operation that is ready to run. */
export interface AcceptedOperation extends OperationBody {
  document: DocumentNode;
  /** What it is taken for. */
  points: number;
}

interface AcceptedDocument {
  document: DocumentNode;
  /** Names of the variables that set page sizes; computed on the document's second use. */
  sizes?: string[];
  /** Operations and sizes that were within the limits, with their points. */
  within: Map<string, number>;
}

/** How many documents are cached, and the total of their characters. */
const KEPT = 500;
const KEPT_CHARACTERS = 256 * 1024;
/** How many sets of page sizes are cached for each document. */
const KEPT_SIZES = 100;

/** A cache of accepted operations, by document, operation name and page sizes. */
export class AcceptedOperations {
  readonly #documents = new LRUCache<string, AcceptedDocument>({
    max: KEPT,
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });

  /** Parsed bodies of queries that may be repeated, by their text: a repeated body is not parsed again. */
  readonly #bodies = new LRUCache<string, object>({
    max: KEPT,
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #ready = new WeakMap<object, AcceptedOperation>();

  constructor(private readonly limits: Limits) {}

  /** The body that this text was parsed to before. */
  bodyOf(text: string): object | undefined {
    return this.#bodies.get(text);
  }

  /** Adds a valid document. */
  learn(text: string, document: DocumentNode): void {
    if (!this.#documents.has(text)) this.#documents.set(text, { document, within: new Map() });
  }

  /**
   * The query that a body asks for, if it was accepted before. Otherwise Apollo checks it and reports its errors.
   * @param text the text that the body was parsed from.
   */
  find(body: unknown, text = ''): AcceptedOperation | undefined {
    if (!isAsked(body)) return undefined;
    return this.#ready.get(body) ?? this.#find(body, text);
  }

  #find(body: OperationBody, text: string): AcceptedOperation | undefined {
    const accepted = this.#documents.get(body.query);
    const points = accepted && this.#pointsWithin(accepted, body);
    if (accepted === undefined || points === undefined) return undefined;
    const { document } = accepted;
    const { operationName, variables } = body;
    const operation = { query: body.query, operationName, variables, document, points };
    if (text !== '') {
      this.#ready.set(body, operation);
      this.#bodies.set(text, body);
    }
    return operation;
  }

  /** The points of an operation that is within the limits. */
  #pointsWithin(accepted: AcceptedDocument, { operationName, variables }: OperationBody): number | undefined {
    accepted.sizes ??= sizeVariables(accepted.document);
    const sizes = accepted.sizes.map((name) => variables?.[name]);
    // Whatever else is not a size at all, or Apollo must say so.
    if (!sizes.every(isSize)) return undefined;
    const key = `${operationName ?? ''} ${sizes.map(String)}`;
    const present = accepted.within.get(key);
    if (present !== undefined) return present;
    const operation = getOperationAST(accepted.document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
    try {
      const points = this.limits.check(accepted.document, operation, variables ?? {});
      if (accepted.within.size >= KEPT_SIZES) accepted.within.clear();
      accepted.within.set(key, points);
      return points;
    } catch {
      // Told by Apollo's way, in its form.
      return undefined;
    }
  }
}

/** Whether a body has the form of a plain request: what graphql/documents/request.ts checks, and no extensions. */
function isAsked(body: unknown): body is OperationBody {
  if (!isObject(body) || typeof body.query !== 'string') return false;
  const { operationName, variables, extensions } = body;
  const named = operationName === undefined || operationName === null || typeof operationName === 'string';
  return named && (variables === undefined || variables === null || isObject(variables)) && extensions === undefined;
}

/** Whether a variable may be a page size. A missing one takes the operation's default; null does not. */
function isSize(value: unknown): boolean {
  return value === undefined || value === null || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sizeVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind === Kind.VARIABLE && (name.value === 'first' || name.value === 'last'))
        names.add(value.name.value);
    },
  });
  return [...names];
}
