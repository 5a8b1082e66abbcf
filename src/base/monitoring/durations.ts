// A histogram of durations. prom-client's own looks up its labels by a hash at each observation, which would cost a
// request more than all its other counts. Here, each set of labels has an observer.
import type { Histogram } from 'prom-client';

/** One set of labels. */
interface Series {
  labels: Readonly<Record<string, string | number>>;
  /** Observations by bucket, not cumulative; the last one is above all bounds. */
  counts: number[];
  sum: number;
}

/** Adds one duration, seconds. */
export type Observe = (seconds: number) => void;

type Values = Awaited<ReturnType<Histogram['get']>>;

/** A metric for prom-client's registry. */
export class Durations {
  /** The members by which prom-client's registries read a metric. */
  readonly type = 'histogram';
  readonly #series: Series[] = [];

  /** @param bounds upper bounds of the buckets, seconds, ascending. */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  /** The observer of a set of labels. Call this once for each set. */
  observer(labels: Series['labels']): Observe {
    const { bounds } = this;
    const series: Series = { labels, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
    this.#series.push(series);
    const { counts } = series;
    return (seconds) => {
      let bucket = 0;
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      series.sum += seconds;
    };
  }

  /** All values, for the registry. */
  async get(): Promise<Values> {
    const { name, help } = this;
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return { name, help, type: this.type, values, aggregator: 'sum' } as unknown as Values;
  }

  #valuesOf({ labels, counts, sum }: Series): Values['values'] {
    let count = 0;
    const buckets = counts.map((observed, at) => {
      count += observed;
      return { labels: { le: this.bounds[at] ?? '+Inf', ...labels }, value: count, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
