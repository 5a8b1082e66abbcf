// One page of a list. Edges and pageInfo are computed when they are first read; the total is counted then.

import { isPromise, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { PageInfo, PageOf, Total } from '../../graphql/shapes/relay.js';
import { type CursorScope, encodeCursor } from './cursor.js';
import { orderOf, type PageRequest, type Walk } from './paging.js';

/** A stored row. Only the order's field and the tie-breaking field are read. */
type Placed = object;

/** The rows of a page query in the order of the list. The query reads one row more than the page has, which shows whether more follow. */
export function pageRows<R>(queried: readonly R[], request: PageRequest): { rows: R[]; more: boolean } {
  const rows = queried.slice(0, request.limit);
  return { rows: request.backward ? rows.reverse() : rows, more: queried.length > request.limit };
}

/** A page of nodes `T` with their rows; `nodes[i]` is the node of `rows[i]`. */
export class Page<T, R extends Placed = Placed> implements PageOf<T> {
  constructor(
    readonly nodes: readonly T[],
    private readonly rows: readonly R[],
    private readonly more: boolean,
    private readonly walk: Walk,
    private readonly request: PageRequest,
    private readonly count: () => MaybePromise<Total>,
  ) {}

  get edges(): { node: T; cursor: string }[] {
    this.computed.edges ??= this.nodes.map((node, at) => ({ node, cursor: this.cursorAt(at) ?? '' }));
    return this.computed.edges;
  }

  get pageInfo(): PageInfo {
    this.computed.pageInfo ??= this.makePageInfo();
    return this.computed.pageInfo;
  }

  /** Counted at most once for each page. */
  total(): MaybePromise<Total> {
    this.counted ??= this.count();
    if (isPromise(this.counted)) void this.counted.then(this.keepTotal, this.forgetTotal);
    return this.counted;
  }

  /** Computed once, because a cached page is read many times. */
  private readonly computed: { edges?: { node: T; cursor: string }[]; pageInfo?: PageInfo } = {};
  private counted: MaybePromise<Total> | undefined;

  private readonly keepTotal = (total: Total): void => {
    this.counted = total;
  };

  private readonly forgetTotal = (): void => {
    this.counted = undefined;
  };

  private makePageInfo(): PageInfo {
    const { backward, after, before } = this.request;
    return {
      hasNextPage: backward ? before !== null : this.more,
      hasPreviousPage: backward ? this.more : after !== null,
      startCursor: this.cursorAt(0),
      endCursor: this.cursorAt(this.rows.length - 1),
    };
  }

  private cursorAt(at: number): string | null {
    const row = this.rows[at] as Record<string, unknown> | undefined;
    if (row === undefined) return null;
    const value = row[orderOf(this.walk, this.request.order).path];
    const scope: CursorScope = this.request;
    return encodeCursor(scope, {
      value: value instanceof Date ? value.getTime() : (value as number | string),
      id: row[this.walk.tie] as string,
    });
  }
}
