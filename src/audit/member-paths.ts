// Members of JSON values by their path, with dots where they are nested.

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The member; undefined if it is absent. */
export const memberAt = (value: unknown, path: string): unknown =>
  path.includes('.') ? path.split('.').reduce(ownAt, value) : ownAt(value, path);

const ownAt = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Replaces the member in place, if it exists and is not null. */
export function replaceAt(value: unknown, path: string, by: unknown): void {
  const dot = path.lastIndexOf('.');
  const parent = dot === -1 ? value : memberAt(value, path.slice(0, dot));
  const name = path.slice(dot + 1);
  if (isObject(parent) && parent[name] != null) parent[name] = by;
}
