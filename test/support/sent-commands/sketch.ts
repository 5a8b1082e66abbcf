// A sketch of a command: the same for all commands that the rules treat alike. It must be cheap, since a test sends
// thousands of commands.
import { isDoc } from './values.js';

/** Members whose values do not matter to any rule. */
const OMITTED: ReadonlySet<string> = new Set(['documents', 'lsid', '$clusterTime', 'cursors', 'getMore']);
/** Texts up to this length are written out, because a partial filter may name one. */
const SHORT = 8;

export function sketchOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length <= SHORT || value.startsWith('$') ? `"${value}` : '"';
    case 'number':
      return value === 0 || value === 1 ? String(value) : '2';
    case 'object':
      return sketchOfObject(value);
    default:
      return String(value);
  }
}

function sketchOfObject(value: object | null): string {
  if (value === null) return 'null';
  if (value instanceof RegExp) return sketchOfPattern(value);
  if (Array.isArray(value)) return sketchOfList(value);
  if (!isDoc(value)) return 'b';
  let text = '{';
  for (const name in value) text += OMITTED.has(name) ? `${name},` : `${name}:${sketchOfMember(name, value[name])},`;
  return `${text}}`;
}

/** Of an update, the rules check the modifiers, and the conditions in them. */
function sketchOfMember(name: string, value: unknown): string {
  if ((name !== 'u' && name !== 'update') || !isDoc(value)) return sketchOf(value);
  return Object.entries(value)
    .map(
      ([modifier, fields]) =>
        `${modifier.startsWith('$') ? modifier : ''}${modifier === '$pull' ? sketchOf(fields) : ''}`,
    )
    .join();
}

const sketchOfPattern = ({ source }: RegExp): string =>
  `/${source[0] === '^'}${source.includes('|')}${source.length >> 12}`;

function sketchOfList(values: readonly unknown[]): string {
  if (values.length === 1) return `[${sketchOf(values[0])}]`;
  const seen = new Set<string>();
  for (const value of values) seen.add(sketchOf(value));
  return `[${[...seen].join(';')}]`;
}
