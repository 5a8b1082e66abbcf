// The text of one answer while it is written.
import type { MaybePromise } from '../../base/maybe-promise.js';
import type { AnswerSize } from './answer-size.js';
import { variablesText } from './variables-text.js';

/** Coerced variables, as graphql-js's `getVariableValues` makes them. */
export type Variables = Readonly<Record<string, unknown>>;

/** Some of the variables: those that are there. */
export function only(variables: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])));
}

/** What one run of a compiled operation has. */
export interface Execution {
  /** What resolvers get. */
  context: object;
  variables: Variables;
  /** While it answers the same, so do resolvers that read nothing but the catalog; undefined: nobody knows. */
  age?: () => object | undefined;
  /** All texts of the run are counted here. */
  size: AnswerSize;
}

/** A place where text is written, one piece behind the other; what has to be waited for leaves a gap that is filled when it comes. */
export class Output {
  /** What was written since the last gap. */
  text = '';
  /** No text of the object being written has to be escaped. */
  plain = false;
  readonly context: object;
  readonly variables: Variables;
  /** As of now: what is written here is written in one go. */
  readonly age: object | undefined;
  /** Characters that the whole answer may have. */
  readonly most: number;
  #variablesTexts: Map<readonly string[], string> | undefined;
  /** What was written before, and what fills the gaps. */
  #before: MaybePromise<string>[] | undefined;

  /** `keeps`: whether texts of rows may be kept on the way. */
  constructor(
    private readonly run: Execution,
    readonly keeps: boolean,
  ) {
    this.context = run.context;
    this.variables = run.variables;
    this.age = run.age?.();
    this.most = run.size.maxBytes;
  }

  /** Some of the variables as text. `names`: the same array for the same names. */
  variablesText(names: readonly string[]): string {
    this.#variablesTexts ??= new Map();
    const known = this.#variablesTexts.get(names);
    if (known !== undefined) return known;
    const made = variablesText(only(this.variables, names));
    this.#variablesTexts.set(names, made);
    return made;
  }

  /** What is written of the same object as a text of its own, of which no part is kept. @throws what `write` throws. */
  apart(write: (out: Output) => void): MaybePromise<string> {
    const { plain } = this;
    const writeOwn = (own: Output): void => {
      own.plain = plain;
      write(own);
    };
    return written({ ...this.run, size: this.run.size.aside }, writeOwn, false);
  }

  /** What is written here alone is too large. @throws DomainError QUERY_TOO_LARGE. */
  stop(): void {
    this.run.size.add(this.text.length);
  }

  /** Leaves a gap for a value that comes later. */
  wait(value: Promise<unknown>, write: (value: unknown, out: Output) => void): void {
    this.#before ??= [];
    const filling = value.then((late) => written(this.run, (out) => write(late, out), this.keeps));
    this.#before.push(this.text, filling);
    this.text = '';
  }

  /** All that was written, now when there is no gap. @throws DomainError QUERY_TOO_LARGE. */
  whole(): MaybePromise<string> {
    this.run.size.add(this.#length);
    return this.#before ? Promise.all([...this.#before, this.text]).then((parts) => parts.join('')) : this.text;
  }

  /** Characters written here, without what fills the gaps. */
  get #length(): number {
    let length = this.text.length;
    for (const part of this.#before ?? []) if (typeof part === 'string') length += part.length;
    return length;
  }

  /** Nobody waits for the gaps any more; that one of them fails as well must not be a failure that nobody heard of. */
  forget(): void {
    for (const part of this.#before ?? []) if (typeof part !== 'string') part.catch(() => {});
  }
}

/** What `write` writes. @throws what it throws. */
export function written(run: Execution, write: (out: Output) => void, keeps = true): MaybePromise<string> {
  const out = new Output(run, keeps);
  try {
    // Nothing more is made once the answer is too large.
    run.size.add(0);
    write(out);
    return out.whole();
  } catch (error) {
    out.forget();
    throw error;
  }
}
