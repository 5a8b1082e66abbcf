// Global ids of nodes (Relay): base64 of the type's name and the object's own id.

const MAX_GLOBAL_ID = 4096;

/** The global id of an object: base64 of `type:id`. */
export function globalId(typeName: string, id: string): string {
  return Buffer.from(`${typeName}:${id}`).toString('base64');
}

/** Splits a global id into its parts; undefined for an invalid one. */
export function parseGlobalId(text: string): { typeName: string; id: string } | undefined {
  if (text.length > MAX_GLOBAL_ID) return undefined;
  const plain = Buffer.from(text, 'base64').toString();
  const colon = plain.indexOf(':');
  if (colon < 1 || Buffer.from(plain).toString('base64') !== text) return undefined;
  return { typeName: plain.slice(0, colon), id: plain.slice(colon + 1) };
}
