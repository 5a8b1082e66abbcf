// How many live rows a list has: from a stored counter if there is one, otherwise counted.
import type { Model } from 'mongoose';
import { after, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { Total } from '../../graphql/shapes/relay.js';
import type { Ask } from '../../store/command-gate.js';
import type { Reads } from '../../store/reads.js';
import { CachedCatalog } from '../cache/cached-catalog.js';
import type { EntityCache } from '../cache/entity-cache.js';
import { ReadRecorder } from '../cache/read-recorder.js';
import type { StoredCounter } from '../lists/kinds.js';
import { allOf, type Conjunct } from '../lists/paging.js';
import { listKeys, walkOf } from '../lists/relations.js';
import { storedCounter, type Where, whereConditions } from '../lists/where.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';

/** The most rows that are counted for a filtered list, and the last row that page numbers reach. */
export const COUNT_BOUND = 10_000;

const exactly = (count: number): Total => ({ count, exact: true });

/** Totals of lists, for one request. */
export class CatalogTotals {
  constructor(
    private readonly models: CatalogModels,
    private readonly cache: EntityCache | undefined,
    private readonly reads: Reads | undefined,
    private readonly ask: Ask,
  ) {}

  /** How many live rows a list has; of a filter without a stored counter, up to 10,000 are counted. At most one command. */
  of(kind: CatalogKind, where?: Where | null): MaybePromise<Total> {
    const conditions = whereConditions(kind, where);
    if (conditions.length === 0) return after(this.#stored(kind), exactly);
    const counter = storedCounter(kind, where);
    if (counter) return this.#counter(counter).then(exactly);
    return this.#counted(kind, [{ live: true }, ...conditions]);
  }

  #stored(kind: CatalogKind): MaybePromise<number> {
    this.reads?.row('catalogTotals', kind);
    const cache = this.cache?.whenTrusted;
    const cached = cache && new CachedCatalog(cache, this.reads).total(kind);
    return cached ?? this.#readStored(kind);
  }

  async #readStored(kind: CatalogKind): Promise<number> {
    const recorder = new ReadRecorder(this.reads, this.cache?.begin());
    const { total = 0 } = (await this.ask(() => this.models.totals.findById(kind).lean().exec())) ?? {};
    recorder.row('catalogTotals', kind, { total });
    return total;
  }

  async #counted(kind: CatalogKind, conditions: readonly Conjunct[]): Promise<Total> {
    this.reads?.list(listKeys(walkOf(kind), undefined, conditions));
    const counting = () => this.#model(kind).countDocuments(allOf(conditions), { limit: COUNT_BOUND + 1 });
    const count = await this.ask(() => counting().exec());
    return { count: Math.min(count, COUNT_BOUND), exact: count <= COUNT_BOUND };
  }

  async #counter({ kind, field, id }: StoredCounter & { id: string }): Promise<number> {
    this.reads?.row(kind, id);
    // A retired row, too: programs still accept a credential that is retired.
    const query = () => this.#model(kind).findOne({ _id: id }, { [field]: 1 });
    const row = await this.ask(() => query().lean<Record<string, number>>().exec());
    return row?.[field] ?? 0;
  }

  /** The model of a kind; counts do not need its row type. */
  #model(kind: CatalogKind): Model<unknown> {
    return this.models[kind] as unknown as Model<unknown>;
  }
}
