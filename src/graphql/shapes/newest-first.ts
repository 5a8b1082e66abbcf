// Pages of lists that are newest first, by cursor: the same for every domain.
import type { Model } from 'mongoose';
import { cursorOf, type ListPosition, olderThan, positionOf } from '../../store/cursor.js';
import type { PageOf } from './relay.js';

/** A list, and the page that is asked for. An index must end in `{createdAt: -1, _id: -1}`, read either way. */
export interface NewestFirst<R, T> {
  model: Model<R>;
  /** Which rows are in the list. */
  filter: object;
  /** Which fields are read; default: all. */
  projection?: Readonly<Record<string, 0 | 1>>;
  limit: number;
  after?: string | undefined;
  /** For large rows: a page ends before the sum of their sizes exceeds `most`, but has at least one row. */
  bound?: Bound<R>;
  /** Converts the rows of the page to what clients see, in the same order. */
  show(rows: R[]): T[] | Promise<T[]>;
}

interface Bound<R> {
  most: number;
  sizeOf(row: R): number;
}

/** How many entries are counted at most. */
const COUNT_BOUND = 10_000;

/** A page: one command, and those of `show`; the total is one more. @throws DomainError BAD_USER_INPUT (`after`). */
export async function newestFirst<R extends ListPosition, T>(list: NewestFirst<R, T>): Promise<PageOf<T>> {
  const { model, filter, projection, limit, after, bound, show } = list;
  const older = after === undefined ? {} : olderThan(positionOf(after));
  const found = model
    .find({ ...filter, ...older }, projection)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .lean<R[]>();
  const { rows, hasMore } = bound ? await within(found.cursor(), limit, bound) : cut(await found, limit);
  const nodes = await show(rows);
  const edges = rows.map((row, at) => ({ node: nodes[at] as T, cursor: cursorOf(row) }));
  const total = async () => {
    const count = await model.countDocuments(filter, { limit: COUNT_BOUND });
    return { count, exact: count < COUNT_BOUND };
  };
  const pageInfo = {
    hasNextPage: hasMore,
    hasPreviousPage: after !== undefined,
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { nodes, edges, pageInfo, total };
}

interface Cut<R> {
  rows: R[];
  hasMore: boolean;
}

const cut = <R>(matches: R[], limit: number): Cut<R> => ({
  rows: matches.slice(0, limit),
  hasMore: matches.length > limit,
});

/** Reads rows until the page is full: the database sends up to 16 MB at a time. */
async function within<R>(found: AsyncIterable<unknown>, limit: number, { most, sizeOf }: Bound<R>): Promise<Cut<R>> {
  const rows: R[] = [];
  let sum = 0;
  for await (const each of found) {
    const row = each as R;
    sum += sizeOf(row);
    if (rows.length === limit || (rows.length > 0 && sum > most)) return { rows, hasMore: true };
    rows.push(row);
  }
  return { rows, hasMore: false };
}
