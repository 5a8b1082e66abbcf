// Operations that Apollo has taken before: parsed, valid, within the limits. They are run without asking it again.
import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Limits } from './limits.js';

/** A request's body, which is outside data. */
interface OperationBody {
  query: string;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** What is ready to run. */
export interface AcceptedOperation extends OperationBody {
  document: DocumentNode;
  /** What it is taken for. */
  points: number;
}

interface AcceptedDocument {
  document: DocumentNode;
  /** Variables that page sizes come from, by name; found when the document is seen again. */
  sizes?: string[];
  /** Operations and sizes that were within the limits, with their points. */
  within: Map<string, number>;
}

/** Documents kept, and characters of them all. */
const KEPT = 500;
const KEPT_CHARACTERS = 256 * 1024;
/** Sets of sizes remembered for each document. */
const KEPT_SIZES = 100;

export class AcceptedOperations {
  readonly #documents = new LRUCache<string, AcceptedDocument>({
    max: KEPT,
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });

  /** Whole bodies that asked for a query and may come again, by their text: they are not even read anew. */
  readonly #bodies = new LRUCache<string, object>({
    max: KEPT,
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #ready = new WeakMap<object, AcceptedOperation>();

  constructor(private readonly limits: Limits) {}

  /** The body that a text was read as before. */
  bodyOf(text: string): object | undefined {
    return this.#bodies.get(text);
  }

  /** A document that was found valid. */
  learn(text: string, document: DocumentNode): void {
    if (!this.#documents.has(text)) this.#documents.set(text, { document, within: new Map() });
  }

  /**
   * The query that a body asks for, when all of it is known to be right; else Apollo must judge, and say what is wrong.
   * @param text what the body was read from.
   */
  find(body: unknown, text = ''): AcceptedOperation | undefined {
    if (!isAsked(body)) return undefined;
    return this.#ready.get(body) ?? this.#find(body, text);
  }

  #find(body: OperationBody, text: string): AcceptedOperation | undefined {
    const known = this.#documents.get(body.query);
    const points = known && this.#pointsWithin(known, body);
    if (known === undefined || points === undefined) return undefined;
    const { document } = known;
    const { operationName, variables } = body;
    const operation = { query: body.query, operationName, variables, document, points };
    if (text !== '') {
      this.#ready.set(body, operation);
      this.#bodies.set(text, body);
    }
    return operation;
  }

  /** The points of an operation that is within the limits. */
  #pointsWithin(known: AcceptedDocument, { operationName, variables }: OperationBody): number | undefined {
    known.sizes ??= sizeVariables(known.document);
    const sizes = known.sizes.map((name) => variables?.[name]);
    // Whatever else is not a size at all, or Apollo must say so.
    if (!sizes.every(isSize)) return undefined;
    const key = `${operationName ?? ''} ${sizes.map(String)}`;
    const present = known.within.get(key);
    if (present !== undefined) return present;
    const operation = getOperationAST(known.document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
    try {
      const points = this.limits.check(known.document, operation, variables ?? {});
      if (known.within.size >= KEPT_SIZES) known.within.clear();
      known.within.set(key, points);
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

/** A page size as it may come; one that is left out has the operation's default, which null has not. */
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
