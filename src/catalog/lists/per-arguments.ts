// What is derived from the arguments of a list, once for each arguments object. A compiled operation passes the same
// frozen object for every row, and, if they have no variables, for every run (argumentsMaker in
// graphql/execution/compiled-operation.ts): if the arguments were copied on the way here, each row would check them
// again. test/catalog/lists/per-arguments.test.ts asserts with `counts` that they are not.

/** Values by arguments object and key. */
export class PerArguments<K extends string, T> {
  readonly #values = new WeakMap<object, Partial<Record<K, T>>>();
  /** How often a value was computed, and how often it was found. */
  readonly counts = { made: 0, found: 0 };

  find(args: object, key: K): T | undefined {
    const value = this.#values.get(args)?.[key];
    if (value !== undefined) this.counts.found += 1;
    return value;
  }

  /** Adds a value. @returns it */
  add(args: object, key: K, value: T): T {
    this.counts.made += 1;
    this.#values.set(args, { ...this.#values.get(args), [key]: value } as Partial<Record<K, T>>);
    return value;
  }
}
