// Operations of prepared documents that are within the limits: they run directly, without Apollo's checks.
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../../base/json/json-object.js';
import type { Limits } from './limits.js';
import type { PreparedDocument } from './prepared-document.js';
import type { PreparedDocuments } from './prepared-documents.js';

/** A request's body, which is outside data. */
interface OperationBody {
  query: string;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** An operation that is ready to run. */
export interface AcceptedOperation extends OperationBody {
  document: DocumentNode;
  /** What its caller pays before it runs. */
  points: number;
}

/** How many bodies are cached, and the total of their characters. */
const MAX_BODIES = 500;
const MAX_CHARACTERS = 256 * 1024;

/** Finds operations that need no further checks, by document, operation name and page sizes. */
export class AcceptedOperations {
  /** Parsed bodies of queries that may be repeated, by their text: a repeated body is not parsed again. */
  readonly #bodies = new LRUCache<string, object>({
    max: MAX_BODIES,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #ready = new WeakMap<object, AcceptedOperation>();

  constructor(
    private readonly documents: PreparedDocuments,
    private readonly limits: Limits,
  ) {}

  /** The body that this text was parsed to before. */
  bodyOf(text: string): object | undefined {
    return this.#bodies.get(text);
  }

  /**
   * The query that a body asks for, if its document is prepared and the query is within the limits; undefined for any
   * other, which Apollo checks and reports.
   * @param text the text that the body was parsed from.
   */
  find(body: unknown, text = ''): AcceptedOperation | undefined {
    if (!isOperationBody(body)) return undefined;
    const prepared = this.documents.withText(body.query);
    if (prepared?.document === undefined) return undefined;
    const ready = this.#ready.get(body);
    return ready?.document === prepared.document ? ready : this.#accept(body, text, prepared, prepared.document);
  }

  #accept(
    body: OperationBody,
    text: string,
    prepared: PreparedDocument,
    document: DocumentNode,
  ): AcceptedOperation | undefined {
    const { query, operationName, variables } = body;
    const points = this.#pointsWithin(prepared, document, body);
    if (points === undefined) return undefined;
    const operation = { query, operationName, variables, document, points };
    if (text !== '') {
      this.#ready.set(body, operation);
      this.#bodies.set(text, body);
    }
    return operation;
  }

  /** The points of an operation that is within the limits. */
  #pointsWithin(
    prepared: PreparedDocument,
    document: DocumentNode,
    { operationName, variables }: OperationBody,
  ): number | undefined {
    const sizes = prepared.sizeVariables.map((name) => variables?.[name]);
    // Apollo reports values that are no page sizes.
    if (!sizes.every(isSize)) return undefined;
    const key = `${operationName ?? ''} ${sizes.map(String)}`;
    const accepted = prepared.pointsOf(key);
    if (accepted !== undefined) return accepted;
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
    try {
      const points = this.limits.check(document, operation, variables ?? {});
      prepared.setPoints(key, points);
      return points;
    } catch {
      // Apollo reports the error in its own form.
      return undefined;
    }
  }
}

/** Whether a body has the form of a plain request: what graphql/documents/request.ts checks, and no extensions. */
function isOperationBody(body: unknown): body is OperationBody {
  if (!isJsonObject(body) || typeof body.query !== 'string') return false;
  const { operationName, variables, extensions } = body;
  const named = operationName === undefined || operationName === null || typeof operationName === 'string';
  return (
    named && (variables === undefined || variables === null || isJsonObject(variables)) && extensions === undefined
  );
}

/** Whether a variable may be a page size. A missing one gets the operation's default; null does not. */
function isSize(value: unknown): boolean {
  return value === undefined || value === null || Number.isSafeInteger(value);
}
