// The text of one response while it is written.
import type { MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { ResponseSize } from './response-size.js';

/** Coerced variables, as graphql-js's `getVariableValues` returns them. */
export type Variables = Readonly<Record<string, unknown>>;

/** The variables of these names; names without a value are left out. */
export function only(variables: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])));
}

/** The state of one run of a compiled operation. */
export interface Execution {
  /** The context of resolvers. */
  context: object;
  variables: Variables;
  /** The catalog is unchanged while this returns the same value; undefined: unknown, so nothing that depends on it is cached. */
  catalogVersion?: () => number | undefined;
  /** Counts the sizes of all texts of the run. */
  size: ResponseSize;
}

/** Collects text piece by piece. A value that must be awaited leaves a gap, which is filled when the value arrives. */
export class Output {
  /** The text written since the last gap. */
  text = '';
  /** Whether no text of the current object needs escaping. */
  plain = false;
  readonly context: object;
  readonly variables: Variables;
  /** The catalog's version for this output, read once: everything here is written synchronously. */
  readonly catalogVersion: number | undefined;
  /** Characters that the whole response may have. */
  readonly most: number;
  #variablesTexts: Map<readonly string[], string> | undefined;
  /** Earlier pieces of text, and the values that fill the gaps. */
  #before: MaybePromise<string>[] | undefined;

  /** `keeps`: whether the texts of rows may be cached while they are written. */
  constructor(
    private readonly run: Execution,
    readonly keeps: boolean,
  ) {
    this.context = run.context;
    this.variables = run.variables;
    this.catalogVersion = run.catalogVersion?.();
    this.most = run.size.maxBytes;
  }

  /** The variables of these names as text. `names`: the same array for the same names, because it is a cache key. */
  variablesText(names: readonly string[]): string {
    this.#variablesTexts ??= new Map();
    const cached = this.#variablesTexts.get(names);
    if (cached !== undefined) return cached;
    const text = JSON.stringify(only(this.variables, names));
    this.#variablesTexts.set(names, text);
    return text;
  }

  /**
   * Writes a part of the same object as a text of its own, and caches no parts of that part. @throws what `write`
   * throws.
   */
  apart(write: (out: Output) => void): MaybePromise<string> {
    const { plain } = this;
    const writeOwn = (own: Output): void => {
      own.plain = plain;
      write(own);
    };
    return written({ ...this.run, size: this.run.size.aside }, writeOwn, false);
  }

  /** Counts the text of this output. @throws DomainError QUERY_TOO_LARGE. */
  stop(): void {
    this.run.size.add(this.text.length);
  }

  /** Leaves a gap for a value that arrives later. */
  wait(value: Promise<unknown>, write: (value: unknown, out: Output) => void): void {
    this.#before ??= [];
    const filling = value.then((late) => written(this.run, (out) => write(late, out), this.keeps));
    this.#before.push(this.text, filling);
    this.text = '';
  }

  /** The whole text; not a promise when there is no gap. @throws DomainError QUERY_TOO_LARGE. */
  whole(): MaybePromise<string> {
    this.run.size.add(this.#length);
    return this.#before ? Promise.all([...this.#before, this.text]).then((parts) => parts.join('')) : this.text;
  }

  /** Characters written here, without the gaps. */
  get #length(): number {
    let length = this.text.length;
    for (const part of this.#before ?? []) if (typeof part === 'string') length += part.length;
    return length;
  }

  /** Ignores later failures of the gaps after the first one, which would otherwise be unhandled rejections. */
  forget(): void {
    for (const part of this.#before ?? []) if (typeof part !== 'string') part.catch(() => {});
  }
}

/** The text that `write` writes. @throws what it throws. */
export function written(run: Execution, write: (out: Output) => void, keeps = true): MaybePromise<string> {
  const out = new Output(run, keeps);
  try {
    // Throws if the response is already too large: nothing more is written then.
    run.size.add(0);
    write(out);
    return out.whole();
  } catch (error) {
    out.forget();
    throw error;
  }
}
