// `$ref` inside one JSON Schema document: JSON pointers and anchors, never an address outside it (documents are untrusted).
import { badInput } from '../../errors.js';

export type Node = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property; `__proto__` and its like are data here, nothing else. */
export function own(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as Node)[key] : undefined;
}

/** Deepest nesting of a document that is looked at. */
const MAX_LEVELS = 100;

/** @throws DomainError BAD_USER_INPUT for a document nested beyond what recursion should follow. */
export function checkLevels(document: unknown): void {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) throw badInput(`The document is nested more than ${MAX_LEVELS} levels deep.`);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}

/** Finds what a `$ref` of a document points to. @throws DomainError BAD_USER_INPUT when it points outside, or to nothing. */
export function resolveReference(document: Node, reference: string): Node {
  const id = own(document, '$id');
  const local =
    typeof id === 'string' && reference.startsWith(`${id.replace(/#$/, '')}#`)
      ? reference.slice(reference.indexOf('#'))
      : reference;
  if (!local.startsWith('#')) {
    throw badInput(
      `The document refers to ${JSON.stringify(reference)}, which is outside it; only references within the document are followed.`,
    );
  }
  const target =
    local === '#'
      ? document
      : local.startsWith('#/')
        ? atPointer(document, local.slice(2))
        : atAnchor(document, local.slice(1));
  if (!isNode(target)) throw badInput(`The document refers to ${JSON.stringify(reference)}, which is not in it.`);
  return target;
}

/** RFC 6901, in a URI fragment. */
function atPointer(document: Node, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((node, raw) => own(node, unescaped(raw)), document);
}

function unescaped(raw: string): string {
  try {
    return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return raw;
  }
}

/** `$anchor` of 2019-09 and later; `$id: "#name"` of draft-07. */
function atAnchor(document: Node, name: string): unknown {
  const waiting: unknown[] = [document];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isNode(node) && (own(node, '$anchor') === name || own(node, '$id') === `#${name}`)) return node;
    if (typeof node === 'object' && node !== null) waiting.push(...Object.values(node));
  }
  return undefined;
}
