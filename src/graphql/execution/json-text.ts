// JSON as text, written piece by piece.
import { GraphQLBoolean, GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql';
import { isEscaped } from '../../base/escaped-text.js';

/** An answer that is not to be had in one piece: something of it is missing or failed. It says nothing more; graphql-js tells what and where. */
export class NotWhole extends Error {}

/** Where a leaf is written. */
interface LeafWriter {
  text: string;
  /** No text of the object that values come from has to be escaped. */
  plain: boolean;
}

/**
 * Writes values of a scalar or an enumeration behind a text, as the type's own `serialize` gives them.
 * @throws NotWhole and what `serialize` throws.
 */
export function leafWriter(before: string, type: GraphQLLeafType): (value: unknown, out: LeafWriter) => void {
  const other = (value: unknown, out: LeafWriter): void => {
    if (value instanceof Error) throw new NotWhole();
    const text = JSON.stringify(type.serialize(value) ?? undefined) as string | undefined;
    if (text === undefined) throw new NotWhole();
    out.text += before + text;
  };
  if (type === GraphQLString || type === GraphQLID) {
    const open = `${before}"`;
    return (value, out) => {
      if (typeof value === 'string' && (out.plain || !isEscaped(value))) out.text += `${open + value}"`;
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
