// JSON objects, as opposed to lists, texts, numbers and null.

export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
