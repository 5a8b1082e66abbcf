// How much memory a value takes, approximately: for limits on what a command may hold.
import { isDocument } from './types.js';

/** A value's approximate size in memory: that of its BSON and a little for the object. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Uint8Array) return 24 + value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + roughSize(each), 32);
  if (!isDocument(value)) return 24;
  let sum = 48;
  for (const name of Object.keys(value)) sum += name.length + 8 + roughSize(value[name]);
  return sum;
}
