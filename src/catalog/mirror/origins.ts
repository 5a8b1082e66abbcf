// Origins of catalog entries, for readers: one command for any number of entries.
import DataLoader from 'dataloader';
import type { Ask } from '../../store/command-gate.js';
import type { Reads } from '../../store/reads.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';
import { originId } from '../rows/mirror-models.js';
import { type EntryOrigin, originView } from './origin-record.js';

/** Reads origins. */
export class OriginReads {
  constructor(private readonly models: Pick<CatalogModels, 'mirrored'>) {}

  /** A loader for one request: `reads` records its dependencies, `ask` runs its command. */
  loader({ reads, ask = (work) => work() }: { reads?: Reads; ask?: Ask }): OriginLoader {
    return new OriginLoader(this.models, reads, ask);
  }
}

/** Origins by kind and id; null for entries of this gateway. */
export class OriginLoader {
  readonly #loader: DataLoader<string, EntryOrigin | null>;

  constructor(
    private readonly models: Pick<CatalogModels, 'mirrored'>,
    private readonly reads: Reads | undefined,
    ask: Ask,
  ) {
    this.#loader = new DataLoader((keys) => ask(() => this.#find(keys)), { maxBatchSize: 1_000 });
  }

  load(kind: CatalogKind, id: string): Promise<EntryOrigin | null> {
    const key = originId(kind, id);
    this.reads?.row(this.models.mirrored.collection.name, key);
    return this.#loader.load(key);
  }

  async #find(keys: readonly string[]): Promise<(EntryOrigin | null)[]> {
    const rows = await this.models.mirrored.find({ _id: { $in: [...keys] } }).lean();
    const origins = new Map(rows.map((row) => [row._id, originView(row)]));
    return keys.map((key) => origins.get(key) ?? null);
  }
}
