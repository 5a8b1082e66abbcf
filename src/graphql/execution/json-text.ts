// JSON as text, written piece by piece.
import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isEnumType,
} from 'graphql';
import { isEscaped } from '../../base/json/escaped-text.js';
import { SafeIntScalar } from '../shapes/scalars.js';

/**
 * Thrown if part of a compiled operation's result is missing or failed. graphql-js then runs the operation and reports
 * the errors.
 */
export class NotWhole extends Error {}

/** An object whose fields are written. */
export type SourceObject = Readonly<Record<string, unknown>>;

/** The output that a leaf is written to. */
interface LeafWriter {
  text: string;
  /** Whether no text of the current object needs escaping. */
  plain: boolean;
}

/**
 * A writer of values of a scalar or an enumeration, each after the text `before`, as the type's `serialize` returns them.
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
  if (type === GraphQLInt || type === SafeIntScalar) {
    return (value, out) => {
      // Most values are whole numbers of 32 bits. Minus zero counts as one, but JSON writes it as 0.
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

/** A leaf that is read from its object, after the text `before`. */
export interface Leaf {
  before: string;
  /** The name of the property. */
  name: string;
  /** Whether it is a text or a name of an enumeration; otherwise a whole number. */
  isQuoted: boolean;
  /** The names of an enumeration, by their values. */
  names?: ReadonlyMap<unknown, string>;
}

/** A leaf of a type whose usual values `usualValue` returns; undefined for other types. */
export function leafOf(before: string, name: string, outputType: GraphQLOutputType): Leaf | undefined {
  const type = getNullableType(outputType);
  if (type === GraphQLString || type === GraphQLID) return { before, name, isQuoted: true };
  if (type === GraphQLInt || type === SafeIntScalar) return { before, name, isQuoted: false };
  if (!isEnumType(type)) return undefined;
  return { before, name, isQuoted: true, names: new Map(type.getValues().map(({ name, value }) => [value, name])) };
}

/** The value of a leaf if JSON has it as it is, perhaps in quotation marks; undefined if `leafWriter` has to write it. */
export function usualValue({ name, isQuoted, names }: Leaf, source: SourceObject, plain: boolean): unknown {
  const value = names ? names.get(source[name]) : source[name];
  if (!isQuoted) return ((value as number) | 0) === value ? value : undefined;
  return typeof value === 'string' && (plain || !isEscaped(value)) ? value : undefined;
}
