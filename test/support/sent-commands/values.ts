// Values inside of commands, and the distinctions that the rules need.

export type Doc = Record<string, unknown>;

/** A document, as opposed to a list, a date, a regular expression or a BSON value. */
export function isDoc(value: unknown): value is Doc {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('_bsontype' in value);
}

/** Whether it is an expression of operators such as `{$gt: 1}`, as opposed to a value to compare with. */
export const isOperators = (value: unknown): value is Doc =>
  isDoc(value) && Object.keys(value)[0]?.startsWith('$') === true;

export const docsIn = (value: unknown): Doc[] => (Array.isArray(value) ? value.filter(isDoc) : []);

export const docOf = (value: unknown): Doc => (isDoc(value) ? value : {});

/** The command's collection; undefined for commands of a database. */
export function collectionOf(command: Doc): string | undefined {
  const [name = ''] = Object.keys(command);
  const collection = name === 'getMore' ? command.collection : command[name];
  return typeof collection === 'string' ? collection : undefined;
}
