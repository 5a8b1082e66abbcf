// How large one answer may get: counted while it is made, so that a too large one is refused and never held as a whole.
import { defaultFieldResolver, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { DomainError } from '../../base/errors.js';
import { isEscaped } from '../../base/escaped-text.js';
import { answerTooLarge, isLongerThan } from '../../http/answer-bytes.js';

/** Quotation marks, colon and comma of a name; braces and comma of an object. */
const PUNCTUATION = 4;
/** What an error takes in an answer, about. */
const ERROR_BYTES = 300;

/** The size of one answer. */
export class AnswerSize {
  #bytes = 0;
  #refusal: DomainError | undefined;
  #aside: AnswerSize | undefined;

  constructor(readonly maxBytes: number) {}

  /** Why the answer is refused, once it is too large. */
  get refusal(): DomainError | undefined {
    return this.#refusal ?? this.#aside?.refusal;
  }

  /** Whether a finished text is too large: in UTF-8 it may be longer. */
  refuses(text: string): DomainError | undefined {
    const { maxBytes } = this;
    if (isLongerThan(text, maxBytes)) this.#refusal ??= answerTooLarge(maxBytes);
    return this.#refusal;
  }

  /** For texts that are made on the side and counted again where they are put. */
  get aside(): AnswerSize {
    this.#aside ??= new AnswerSize(this.maxBytes);
    return this.#aside;
  }

  /** @throws DomainError QUERY_TOO_LARGE as soon as it is too large, and from then on each time. */
  add(bytes: number): void {
    this.#count(bytes);
    if (this.#refusal) throw this.#refusal;
  }

  /** Errors of the answer. */
  addErrors(many: number): void {
    this.#count(many * ERROR_BYTES);
  }

  /**
   * Counts what a field resolves to, as far as its own text goes; returns it, and an empty list for each list once the answer is too large.
   * graphql-js has begun with the rest of the answer by then, so nothing is thrown: a list that ends early would leave promises that nobody
   * waits for.
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
    if (this.#bytes > this.maxBytes) this.#refusal ??= answerTooLarge(this.maxBytes);
  }
}

/** A resolver for fields that are read from their object, which counts what it reads. */
export function countingResolver(size: AnswerSize): typeof defaultFieldResolver {
  return (source, args, context, info) => size.counted(defaultFieldResolver(source, args, context, info), info);
}

const SIZES = new WeakMap<object, AnswerSize>();

/** Counts in `size` what resolvers with this context give. */
export function countFor(context: object, size: AnswerSize): void {
  SIZES.set(context, size);
}

/** Where to count what a resolver with this context gives, if anywhere. */
export function sizeFor(context: object): AnswerSize | undefined {
  return SIZES.get(context);
}

type Fragments = GraphQLResolveInfo['fragments'];

const NAMES = new WeakMap<SelectionSetNode, number>();

/** Bytes of the names that are asked for of one object; each selection set is looked at once. */
function namesOf(selectionSet: SelectionSetNode, fragments: Fragments): number {
  const known = NAMES.get(selectionSet);
  if (known !== undefined) return known;
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
