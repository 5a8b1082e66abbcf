// Reads traction over time: complete runs only, so that shown values never change.
import DataLoader from 'dataloader';
import type { Ask } from '../../store/command-gate.js';
import type { Reads } from '../../store/reads.js';
import type { CatalogModels, TractionRunRow } from '../rows/models.js';
import { type BucketSize, bucketsOf, type Stretch, type TractionRun } from './traction-runs.js';

/** Reads the complete runs of entries. */
export class TractionSeries {
  constructor(
    private readonly models: Pick<CatalogModels, 'tractionRuns'>,
    private readonly reads?: Reads,
    private readonly ask: Ask = (work) => work(),
  ) {}

  /** The same for one request: `reads` records its dependencies, `ask` runs its commands. */
  for(reads?: Reads, ask?: Ask): TractionSeries {
    return new TractionSeries(this.models, reads, ask);
  }

  /** The runs of each entry that end in the range, oldest first; `entries` are `tractionEntry` names. One command. */
  async runs(entries: readonly string[], { from, to }: Stretch): Promise<TractionRun[][]> {
    const { collection } = this.models.tractionRuns;
    this.reads?.list([collection.name]);
    const filter = { entry: { $in: [...entries] }, to: { $gte: from, $lte: to } };
    const rows = await this.ask(() =>
      collection.find<TractionRunRow>(filter, { projection: { _id: 0 }, sort: { entry: 1, to: 1 } }).toArray(),
    );
    const runs = new Map<string, TractionRun[]>(entries.map((entry) => [entry, []]));
    for (const { entry, ...run } of rows) runs.get(entry)?.push(run);
    return entries.map((entry) => runs.get(entry) ?? []);
  }
}

/** Series of one request: those of one range are one command. */
export class SeriesLoader {
  readonly #ranges = new Map<string, DataLoader<string, TractionRun[]>>();

  constructor(private readonly series: TractionSeries) {}

  /** The buckets of an entry that end in a checked range (`seriesRange`). */
  async load(entry: string, range: Stretch, size: BucketSize): Promise<TractionRun[]> {
    const key = `${range.from} ${range.to}`;
    const loader = this.#ranges.get(key) ?? new DataLoader((entries) => this.series.runs(entries, range));
    this.#ranges.set(key, loader);
    return bucketsOf(await loader.load(entry), size);
  }
}
