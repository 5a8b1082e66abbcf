// `$ref` inside one JSON Schema document: JSON pointers and anchors, never an address outside it, because documents are untrusted.
import { badInput } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-object.js';
import { isDeeperThan } from '../../base/nesting.js';

/** Finds what a local reference of a document (`#…`) points to. @throws DomainError BAD_USER_INPUT when it points outside, or to nothing. */
export type ResolveReference = (reference: string) => JsonObject;

/** An own property; names like `__proto__` are only data here. */
export function own(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as JsonObject)[key] : undefined;
}

/** Keywords whose text points to another part of the document. */
export const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Deepest nesting of a document. */
const MAX_LEVELS = 100;

/** @throws DomainError BAD_USER_INPUT for a document that is nested too deeply for recursion. */
export function checkLevels(document: unknown): void {
  if (isDeeperThan(document, MAX_LEVELS)) throw badInput(`The document is nested more than ${MAX_LEVELS} levels deep.`);
}

/** A copy of the document in which references by its own `$id`, absolute or relative, are local (`#…`), and BigInts are the nearest doubles. */
export function withLocalReferences(document: JsonObject): JsonObject {
  const id = own(document, '$id');
  const base = typeof id === 'string' ? id.replace(/#.*$/, '') : '';
  const local = (value: string): string => {
    const [path = '', fragment = ''] = value.split(/#(.*)/s);
    return path !== '' && path !== base && !sameAddress(path, base) ? value : `#${fragment}`;
  };
  const keywords: readonly string[] = REFERENCES;
  const text = JSON.stringify(document, (_key, value) => (typeof value === 'bigint' ? Number(value) : value));
  return JSON.parse(text, (key, value: unknown) =>
    keywords.includes(key) && typeof value === 'string' ? local(value) : value,
  ) as JsonObject;
}

function sameAddress(path: string, base: string): boolean {
  return URL.canParse(base) && URL.canParse(path, base) && new URL(path, base).href === new URL(base).href;
}

/** The resolver of a document with local references only; each reference is resolved once. */
export function resolverOf(document: JsonObject): ResolveReference {
  const targets = new Map<string, JsonObject>();
  let anchors: ReadonlyMap<string, JsonObject> | undefined;
  const find = (reference: string): unknown => {
    if (reference === '#') return document;
    if (reference.startsWith('#/')) return atPointer(document, reference.slice(2));
    anchors ??= anchorsOf(document);
    return anchors.get(reference.slice(1));
  };
  return (reference) => {
    const before = targets.get(reference);
    if (before) return before;
    const name = JSON.stringify(reference.slice(0, 200));
    if (!reference.startsWith('#'))
      throw badInput(
        `The document refers to ${name}, which is outside it; only references within the document are followed.`,
      );
    const target = find(reference);
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

/** `$anchor` and `$dynamicAnchor` of 2019-09 and later; `$id: "#name"` of draft-07. */
function anchorsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  const queue: unknown[] = [document];
  while (queue.length > 0) {
    const node = queue.pop();
    if (typeof node !== 'object' || node === null) continue;
    queue.push(...Object.values(node));
    const id = own(node, '$id');
    const names = [own(node, '$anchor'), own(node, '$dynamicAnchor')];
    if (typeof id === 'string' && id.startsWith('#')) names.push(id.slice(1));
    if (isJsonObject(node)) for (const name of names) if (typeof name === 'string') anchors.set(name, node);
  }
  return anchors;
}
