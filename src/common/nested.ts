// Objects from names with dots.

/** Objects without a prototype, because names come from schemas and files, and may be `__proto__`. */
export const emptyObject = (): Record<string, unknown> => Object.create(null);

/**
 * Sets the member at a path, and creates the objects on the way. @throws Error if a member is both a value and an
 * object.
 */
export function put(object: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  const inner = object[first];
  const isLast = rest.length === 0;
  // Objects from parsed cells have a prototype, which must not be written to.
  if (inner !== undefined && (isLast || Object(inner) !== inner || Object.getPrototypeOf(inner) !== null))
    throw new Error(`“${first}” is given as a value and as an object.`);
  object[first] = isLast ? value : (inner ?? emptyObject());
  if (!isLast) put(object[first] as Record<string, unknown>, rest, value);
}
