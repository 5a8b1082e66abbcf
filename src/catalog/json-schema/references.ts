// Follows `$ref` inside one JSON Schema document, never to an address outside it, because documents are untrusted.
import { badInput } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { isDeeperThan } from '../../common/json-value.js';

/** Finds what a local reference of a document (`#/…`) points to. @throws DomainError BAD_USER_INPUT when it points outside, or to nothing. */
export type ResolveReference = (reference: string) => JsonObject;

/** An own property; names like `__proto__` are only data here. */
export function own(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as JsonObject)[key] : undefined;
}

/** Deepest nesting of a document. */
const MAX_LEVELS = 100;

/** @throws DomainError BAD_USER_INPUT for a document that is nested too deeply for recursion. */
export function checkLevels(document: unknown): void {
  if (isDeeperThan(document, MAX_LEVELS)) throw badInput(`The document is nested more than ${MAX_LEVELS} levels deep.`);
}

/** Schemas that are true or false, as objects. */
const BOOLEANS = { true: {}, false: { not: {} } };

/** The resolver of a document whose references are local (local-references.ts); each is resolved once. */
export function resolverOf(document: JsonObject): ResolveReference {
  const targets = new Map<string, JsonObject>();
  const find = (reference: string): unknown => {
    if (reference === '#') return document;
    return reference.startsWith('#/') ? atPointer(document, reference.slice(2)) : undefined;
  };
  return (reference) => {
    const before = targets.get(reference);
    if (before) return before;
    const name = JSON.stringify(reference.slice(0, 200));
    if (!reference.startsWith('#'))
      throw badInput(
        `The document refers to ${name}, which is outside it; only references within the document are followed.`,
      );
    const found = find(reference);
    const target = typeof found === 'boolean' ? BOOLEANS[`${found}`] : found;
    if (!isJsonObject(target)) throw badInput(`The document refers to ${name}, which is not in it.`);
    targets.set(reference, target);
    return target;
  };
}

/** RFC 6901, in a URI fragment. */
function atPointer(document: JsonObject, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((node, raw) => own(node, unescaped(raw)), document);
}

function unescaped(raw: string): string {
  try {
    return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return raw;
  }
}
