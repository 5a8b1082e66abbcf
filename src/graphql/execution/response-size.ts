// The size of one response, counted while it is written: one that is too large is refused before it is complete in memory.
import { defaultFieldResolver, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { DomainError } from '../../base/errors.js';
import { isEscaped } from '../../base/json/escaped-text.js';
import { responseTooLarge, isLongerThan } from '../../http/responses/response-bytes.js';

/** Quotation marks, colon and comma of a name; braces and comma of an object. */
const PUNCTUATION = 4;
/** Approximate bytes of an error in a response. */
const ERROR_BYTES = 300;

/** Counts the size of one response. */
export class ResponseSize {
  #bytes = 0;
  #refusal: DomainError | undefined;
  #aside: ResponseSize | undefined;

  constructor(readonly maxBytes: number) {}

  /** The error for the response, after it became too large. */
  get refusal(): DomainError | undefined {
    return this.#refusal ?? this.#aside?.refusal;
  }

  /** Whether a complete text is too large: its UTF-8 form may be longer. */
  refuses(text: string): DomainError | undefined {
    const { maxBytes } = this;
    if (isLongerThan(text, maxBytes)) this.#refusal ??= responseTooLarge(maxBytes);
    return this.#refusal;
  }

  /** For texts that are written separately and counted again when they are inserted. */
  get aside(): ResponseSize {
    this.#aside ??= new ResponseSize(this.maxBytes);
    return this.#aside;
  }

  /** @throws DomainError QUERY_TOO_LARGE when the response is too large, and on every later call. */
  add(bytes: number): void {
    this.#count(bytes);
    if (this.#refusal) throw this.#refusal;
  }

  /** Counts the errors of the response. */
  addErrors(many: number): void {
    this.#count(many * ERROR_BYTES);
  }

  /**
   * Counts a field's own value and returns it. Once the response is too large, it returns an empty list instead of each
   * list. It never throws, because graphql-js has already started on the rest of the response: a list that fails early
   * would leave promises that nobody awaits.
   */
  counted(value: unknown, { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): unknown {
    const objects = Array.isArray(value) ? value.length : 1;
    let bytes = 0;
    for (const { selectionSet } of fieldNodes)
      bytes += selectionSet ? objects * namesOf(selectionSet, fragments) : textLength(value);
    this.#count(bytes);
    return this.#refusal && Array.isArray(value) ? [] : value;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) this.#refusal ??= responseTooLarge(this.maxBytes);
  }
}

/** A resolver for fields that are read from their object; it counts the values. */
export function countingResolver(size: ResponseSize): typeof defaultFieldResolver {
  return (source, args, context, info) => size.counted(defaultFieldResolver(source, args, context, info), info);
}

const SIZES = new WeakMap<object, ResponseSize>();

/** Counts in `size` what resolvers with this context return. */
export function countFor(context: object, size: ResponseSize): void {
  SIZES.set(context, size);
}

/** The size that belongs to a resolver's context, if there is one. */
export function sizeFor(context: object): ResponseSize | undefined {
  return SIZES.get(context);
}

type Fragments = GraphQLResolveInfo['fragments'];

const NAMES = new WeakMap<SelectionSetNode, number>();

/** Bytes of the field names selected on one object; each selection set is measured once. */
function namesOf(selectionSet: SelectionSetNode, fragments: Fragments): number {
  const cached = NAMES.get(selectionSet);
  if (cached !== undefined) return cached;
  const spread = new Set<string>();
  let bytes = PUNCTUATION;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) bytes += (selection.alias ?? selection.name).value.length + PUNCTUATION;
    else if (selection.kind === Kind.INLINE_FRAGMENT) bytes += namesOf(selection.selectionSet, fragments);
    else spread.add(selection.name.value);
  }
  for (const name of spread) {
    const fragment = fragments[name];
    if (fragment) bytes += namesOf(fragment.selectionSet, fragments);
  }
  NAMES.set(selectionSet, bytes);
  return bytes;
}

/** Bytes of a leaf's text. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(isEscaped(value) ? JSON.stringify(value) : value) + 2;
  return typeof value === 'object' ? Buffer.byteLength(JSON.stringify(value)) : String(value).length;
}
