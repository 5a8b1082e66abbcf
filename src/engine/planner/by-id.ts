// Updates and deletes of one document by its `_id`. There is only one way to find it, so no plan is needed.
import type { Doc } from '../bson/types.js';
import type { CollectionInfo } from '../store/catalog.js';
import type { Row, View } from '../store/view.js';
import { prefixInterval } from './bounds.js';
import type { Query } from './execute.js';

/** The part of a query that writing statements use. */
export type FoundRows = Pick<Query, 'matcher'> & { scan: { next(): Row[] | null } };

/** Keys of longer texts may end in a hash, so such texts need a plan. */
const MOST_CHARACTERS = 400;

/** The document that a filter `{_id: <text>}` names, or none; undefined for any other filter. */
export function byId(view: View, collection: CollectionInfo, filter: Doc): FoundRows | undefined {
  const { _id: id } = filter;
  const [index] = collection.indexes;
  if (typeof id !== 'string' || id.length > MOST_CHARACTERS || Object.keys(filter).length !== 1) return undefined;
  if (index?.name !== '_id_' || !view.sees(index)) return undefined;
  const { low, one, text } = prefixInterval(index, [id]);
  if (!one || text === undefined) return undefined;
  index.used += 1;
  const row = rowWith(view, collection, id, low);
  let rows: Row[] | null = row ? [row] : null;
  const next = (): Row[] | null => {
    const found = rows;
    rows = null;
    return found;
  };
  return { matcher: { test: (doc) => doc._id === id, positionOf: () => null }, scan: { next } };
}

function rowWith(view: View, collection: CollectionInfo, id: string, key: Buffer): Row | undefined {
  const own = view.overlay(collection);
  const [changed] = own?.withIds([id]) ?? [];
  if (changed) return changed;
  const [entry] = view.entry(key);
  if (!entry || own?.has(entry.rid)) return undefined;
  const raw = view.record(collection, entry.rid);
  return raw && { rid: entry.rid, raw };
}
