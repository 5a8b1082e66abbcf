// How large a JSON Schema document may be after its references are followed, because a check of one value may visit all of it. Even a small
// document is enormous then if each definition refers twice to the next.
import { badInput } from '../../base/errors.js';
import { own, type ResolveReference } from './references.js';

/** Objects and lists of a document; what a reference points to counts once for each reference. */
const MAX_EXPANDED = 50_000;
/** Levels of a document, with those that references add. */
const MAX_EXPANDED_LEVELS = 200;

interface Extent {
  size: number;
  levels: number;
}

/** @throws DomainError BAD_USER_INPUT for a document that is too large or too deep after its references are followed. */
export function checkExpansion(document: unknown, resolve: ResolveReference): void {
  const extents = new Map<object, Extent>();
  // An object that contains itself: how often it is visited depends only on the value that is checked.
  const above = new Set<object>();
  const extentOf = (node: object, level: number): Extent => {
    const before = extents.get(node);
    if (level + (before?.levels ?? 0) > MAX_EXPANDED_LEVELS) throw tooDeep();
    if (before) return before;
    if (above.has(node)) return { size: 1, levels: 1 };
    above.add(node);
    const extent = { size: 1, levels: 1 };
    for (const child of childrenOf(node, resolve)) {
      const { size, levels } = extentOf(child, level + 1);
      extent.size += size;
      extent.levels = Math.max(extent.levels, levels + 1);
      if (extent.size > MAX_EXPANDED) throw tooLarge();
    }
    above.delete(node);
    extents.set(node, extent);
    return extent;
  };
  if (typeof document === 'object' && document !== null) extentOf(document, 1);
}

function* childrenOf(node: object, resolve: ResolveReference): Generator<object> {
  for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) yield child;
  const reference = own(node, '$ref');
  if (typeof reference === 'string') yield* targetsOf(reference, resolve);
}

/** Dangling references are reported by their users, since they may be in an example or an unused part. */
function targetsOf(reference: string, resolve: ResolveReference): object[] {
  try {
    return [resolve(reference)];
  } catch {
    return [];
  }
}

const tooLarge = () =>
  badInput(`The document has more than ${MAX_EXPANDED} parts once its references are followed; repeat less.`);
const tooDeep = () =>
  badInput(`The document is nested more than ${MAX_EXPANDED_LEVELS} levels deep once its references are followed.`);
