// Type checks for JSON values from outside.
import type { Literal } from './types.js';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property; undefined when there is none. */
export const own = (value: unknown, key: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Whether a value is a literal of conditions: a text, a finite number, true or false. */
export const isLiteral = (value: unknown): value is Literal =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
