// Names of data points are paths below the subject: `a.b` is the field b of a. No schema may have a value at a path and fields below it.

/** The first name that occurs twice or is the parent of another, such as `a` and `a.b`; undefined when there is none. */
export function firstClash(points: readonly { name: string }[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of points) {
    if (names.has(name)) return name;
    names.add(name);
  }
  for (const name of names)
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
      if (names.has(name.slice(0, dot))) return name.slice(0, dot);
  return undefined;
}
