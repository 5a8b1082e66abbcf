// Records what one read of the store returns: for the response that depends on it, and for the entity cache.
import type { Reads } from '../../store/reads.js';
import type { ReadKind } from '../rows/rows.js';
import type { EntityFill, ListPage } from './entity-cache.js';

/** Create it before the read. */
export class ReadRecorder {
  constructor(
    private readonly reads?: Reads,
    private readonly fill?: EntityFill,
  ) {}

  /** A row that was read; null: there is none with this id. */
  row(kind: ReadKind, id: string, record: object | null): void {
    this.reads?.row(kind, id);
    this.fill?.row(kind, id, record);
  }

  /** A page of a list. The list's own dependencies are recorded before the cache is asked for it. */
  list(key: string, page: ListPage): void {
    this.fill?.list(key, page);
  }
}
