// A prepared document: one text, and everything that is computed from it once.
import { createHash } from 'node:crypto';
import { type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { LRUCache } from 'lru-cache';
import type { CompiledOperation } from '../execution/compiled-operation.js';
import type { Variables } from '../execution/output.js';
import { rootFields, sizeOf } from './document-facts.js';

/** Documents with more selections (fragments expanded) are not compiled: their functions would take too much memory. */
export const MAX_COMPILED_SELECTIONS = 1_000;
/** Approximate bytes in memory: of a parsed document for each character of its text, and of its compiled operations for each selection. */
const BYTES_PER_CHARACTER = 70;
const BYTES_PER_SELECTION = 700;
/** Sets of page sizes whose points are stored with each document. */
const MAX_PAGE_SIZES = 100;

/** What the executor computes from a document. */
export interface CompiledDocument {
  /** The variables of its @include and @skip directives; undefined when none of its operations is compiled. */
  readonly conditionVariables: readonly string[] | undefined;
  /** Keys are operations with their @include and @skip values. */
  readonly operations: LRUCache<string, { runs: number; operation: CompiledOperation }>;
  /** Coerced variables by operation and JSON text: equal values have one object, so other caches can use it as a key. */
  readonly variables: LRUCache<string, Variables>;
}

/** A document that was parsed and validated, with what later steps compute from it. */
export class PreparedDocument {
  /** Set by the executor when an operation first runs. */
  compiled: CompiledDocument | undefined;
  /** Points of accepted operations, by name and page sizes. */
  readonly #points = new Map<string, number>();
  readonly #rootFields = new Map<OperationDefinitionNode, readonly string[]>();
  #hash: string | undefined;
  #selections: number | undefined;
  #sizeVariables: readonly string[] | undefined;

  /**
   * @param document undefined when the text is no valid document of our schema.
   * @param errors why it cannot run, each with `extensions.code`; empty when it can run.
   */
  constructor(
    readonly text: string,
    readonly document: DocumentNode | undefined,
    readonly errors: readonly GraphQLError[] = [],
  ) {}

  /** SHA-256 of the text, hexadecimal. */
  get hash(): string {
    this.#hash ??= hashOf(this.text);
    return this.#hash;
  }

  /** Selections of its operations with fragments expanded. */
  get selections(): number {
    this.#selections ??= this.document ? sizeOf(this.document) : 0;
    return this.#selections;
  }

  /** Names of the variables that set page sizes. */
  get sizeVariables(): readonly string[] {
    this.#sizeVariables ??= this.document ? sizeVariablesOf(this.document) : [];
    return this.#sizeVariables;
  }

  /** Approximate bytes in memory, after its operations are compiled. */
  get bytes(): number {
    const compiled = Math.min(this.selections, MAX_COMPILED_SELECTIONS) + 1;
    return this.text.length * BYTES_PER_CHARACTER + compiled * BYTES_PER_SELECTION;
  }

  /** Names of the root fields of one of its operations. */
  rootFields(operation: OperationDefinitionNode): readonly string[] {
    const names = this.#rootFields.get(operation) ?? (this.document ? rootFields(this.document, operation) : []);
    this.#rootFields.set(operation, names);
    return names;
  }

  /** The points of an operation that was accepted with these page sizes. */
  pointsOf(key: string): number | undefined {
    return this.#points.get(key);
  }

  setPoints(key: string, points: number): void {
    if (this.#points.size >= MAX_PAGE_SIZES) this.#points.clear();
    this.#points.set(key, points);
  }

  /** Frees everything that can be computed again. */
  release(): void {
    this.compiled = undefined;
    this.#points.clear();
  }
}

/** The name of a text: its SHA-256, hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function sizeVariablesOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind === Kind.VARIABLE && (name.value === 'first' || name.value === 'last'))
        names.add(value.name.value);
    },
  });
  return [...names];
}
