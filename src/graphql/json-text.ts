// JSON as text, written piece by piece.
import { GraphQLBoolean, GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql';

/** An answer that is not to be had in one piece: something of it is missing or failed. It says nothing more; graphql-js tells what and where. */
export class NotWhole extends Error {}

/** Whatever JSON does not take as it is: quotes, backslashes, control characters, and surrogates, which might stand alone. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** A text as JSON (RFC 8259 §7), as `JSON.stringify` writes it. */
export function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * Writes values of a scalar or an enumeration behind a text, as the type's own `serialize` gives them.
 * @throws NotWhole and what `serialize` throws.
 */
export function leafWriter(before: string, type: GraphQLLeafType): (value: unknown, out: { text: string }) => void {
  const other = (value: unknown, out: { text: string }): void => {
    if (value instanceof Error) throw new NotWhole();
    const text = JSON.stringify(type.serialize(value) ?? undefined) as string | undefined;
    if (text === undefined) throw new NotWhole();
    out.text += before + text;
  };
  if (type === GraphQLString || type === GraphQLID) {
    const open = `${before}"`;
    return (value, out) => {
      if (typeof value === 'string' && !ESCAPED.test(value)) out.text += `${open + value}"`;
      else other(value, out);
    };
  }
  if (type === GraphQLInt) {
    return (value, out) => {
      // Whole numbers of 32 bits, of which minus zero is one that JSON has not.
      if (((value as number) | 0) === value) out.text += before + value;
      else other(value, out);
    };
  }
  if (type === GraphQLBoolean) {
    return (value, out) => {
      if (typeof value === 'boolean') out.text += before + value;
      else other(value, out);
    };
  }
  return other;
}
