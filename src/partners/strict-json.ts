// Parses the JSON of tokens so strictly that all parsers agree: UTF-8 only, one object, no duplicate keys (RFC 8725 §2.4, RFC 7515 §4).

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/**
 * Parses one JSON object from bytes.
 * @throws SyntaxError when the bytes are not UTF-8, not JSON, not an object, or have a duplicate key at any depth.
 */
export function parseStrictObject(bytes: Buffer): Record<string, unknown> {
  const text = utf8(bytes);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not an object');
  refuseDoubleKeys(text);
  return value as Record<string, unknown>;
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('not UTF-8', { cause });
  }
}

// The text is valid JSON, so a string before a colon is a key of the innermost object.
function refuseDoubleKeys(text: string): void {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const key = JSON.parse(last) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) throw new SyntaxError('a key stands twice');
      keys?.add(key);
    }
    last = token;
  }
}
