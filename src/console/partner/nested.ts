// Objects from names with dots.

/** Without a prototype: names come from schemas and files, and `__proto__` is one like any other. */
export const emptyObject = (): Record<string, unknown> => Object.create(null);

/** Sets the member at a path, and makes the objects on the way to it. */
export function put(object: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    object[first] = value;
    return;
  }
  object[first] ??= emptyObject();
  put(object[first] as Record<string, unknown>, rest, value);
}
