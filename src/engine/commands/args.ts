// Reads a command's fields: each getter checks the type and throws MongoDB's TypeMismatch error for any other.
import { Double, Int32, Long, Timestamp } from 'bson';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';

/** Refuses a field of the wrong type (TypeMismatch 14). */
export function wrongType(path: string, value: unknown, expected: string): never {
  return fail(
    'TypeMismatch',
    `BSON field '${path}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  );
}

/** A command (or one of its statements) with typed getters; `path` names it in messages. */
export class Args {
  constructor(
    readonly doc: Doc,
    readonly path: string,
  ) {}

  /** A field's unchecked value; undefined if absent. */
  get(name: string): unknown {
    return Object.hasOwn(this.doc, name) ? this.doc[name] : undefined;
  }

  /** Whether the field is present. */
  has(name: string): boolean {
    return Object.hasOwn(this.doc, name) && this.doc[name] !== undefined;
  }

  document(name: string): Doc | undefined {
    const value = this.get(name);
    if (value === undefined || value === null) return undefined;
    return isDocument(value) ? value : wrongType(`${this.path}.${name}`, value, 'object');
  }

  requiredDocument(name: string): Doc {
    return this.document(name) ?? this.missing(name);
  }

  string(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    return typeof value === 'string' ? value : wrongType(`${this.path}.${name}`, value, 'string');
  }

  requiredString(name: string): string {
    return this.string(name) ?? this.missing(name);
  }

  /** A boolean; MongoDB accepts numbers for these fields too. */
  boolean(name: string, otherwise = false): boolean {
    const value = this.get(name);
    if (value === undefined || value === null) return otherwise;
    if (typeof value === 'boolean') return value;
    return isNumber(value) ? Number(value) !== 0 : wrongType(`${this.path}.${name}`, value, 'bool');
  }

  /** A whole number of any BSON type. */
  integer(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined || value === null) return undefined;
    if (!isNumber(value)) return wrongType(`${this.path}.${name}`, value, 'long');
    const number = Number(value.toString());
    if (!Number.isFinite(number)) return fail('BadValue', `BSON field '${this.path}.${name}' must be a finite number`);
    return Math.trunc(number);
  }

  /** A whole number that is not negative; throws BadValue with the message of MongoDB's IDL. */
  count(name: string): number | undefined {
    const value = this.integer(name);
    if (value !== undefined && value < 0) {
      return fail(51024, `BSON field '${name}' value must be >= 0, actual value '${value}'`);
    }
    return value;
  }

  array(name: string): unknown[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    return Array.isArray(value) ? value : wrongType(`${this.path}.${name}`, value, 'array');
  }

  /** An array of documents. */
  documents(name: string): Doc[] | undefined {
    const values = this.array(name);
    return values?.map((value, i) =>
      isDocument(value) ? value : wrongType(`${this.path}.${name}.${i}`, value, 'object'),
    );
  }

  timestamp(name: string): Timestamp | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    return value instanceof Timestamp ? value : wrongType(`${this.path}.${name}`, value, 'timestamp');
  }

  /** A 64-bit number as sent: cursor ids, transaction numbers. */
  long(name: string): Long | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (value instanceof Long) return value;
    if (value instanceof Int32 || value instanceof Double) return Long.fromNumber(Number(value));
    return wrongType(`${this.path}.${name}`, value, 'long');
  }

  missing(name: string): never {
    return fail(40414, `BSON field '${this.path}.${name}' is missing but a required field`);
  }

  /** Refuses fields outside the list (40415). */
  allow(fields: ReadonlySet<string>): void {
    for (const name of Object.keys(this.doc)) {
      if (!fields.has(name)) fail(40415, `BSON field '${this.path}.${name}' is an unknown field.`);
    }
  }
}

/** Refuses an option that this engine does not have (NotImplemented 238). */
export function refuse(args: Args, names: readonly string[]): void {
  for (const name of names) {
    const value = args.get(name);
    if (value === undefined || value === null || value === false) continue;
    if (isDocument(value) && Object.keys(value).length === 0) continue;
    fail('NotImplemented', `${args.path}.${name} is not supported by this store`);
  }
}
