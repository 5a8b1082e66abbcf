// Metrics for operators: counters and gauges of this process, in the text format of Prometheus. The
// list of all metrics is in docs/operation.md; each is registered where it is counted.
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { afterRunning } from '../concurrency/running-time.js';
import { Durations } from './durations.js';

const PREFIX = 'gateway_';
/** How often the delay of the event loop is sampled, milliseconds. */
const SAMPLE_MS = 20;
/** How long a request of the metrics waits for a value of the store, milliseconds. */
const READ_MS = 3_000;
/** Upper bounds of response times, seconds. */
const RESPONSE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Media type of the text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The values of a gauge with one label, by the label's value. */
export type LabelledValues = Readonly<Record<string, number>>;

/** The scope of a value: a process's values are summed over workers; the store's value is the same for all workers. */
export type ValueOf = 'process' | 'store';

const AGGREGATORS = { process: 'sum', store: 'max' } as const;

/** The metrics of one process. Names are given without the prefix `gateway_`. */
export class Metrics {
  readonly #registry = new Registry();
  #observeProcess = (): void => {};

  /**
   * Adds Node's own metrics: memory, garbage collection, processor time, event loop. Call it once in a process. They
   * are observed from the first reading on, because sampling the event loop is a seventh of what an idle gateway costs.
   */
  addProcess(): void {
    this.#observeProcess = () => {
      this.#observeProcess = () => {};
      collectDefaultMetrics({ register: this.#registry, prefix: PREFIX, eventLoopMonitoringPrecision: SAMPLE_MS });
    };
  }

  /** A counter that the caller increments. */
  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.#registry] });
  }

  /** Response times: the caller asks for an observer of each set of labels. */
  responseTimes(name: string, help: string): Durations {
    const durations = new Durations(PREFIX + name, help, RESPONSE_SECONDS);
    this.#registry.registerMetric(durations as unknown as Metric);
    return durations;
  }

  /** A value that is read for each request of the metrics. */
  gauge(name: string, help: string, of: ValueOf, read: () => number | Promise<number>): void {
    new Gauge({
      name: PREFIX + name,
      help,
      aggregator: AGGREGATORS[of],
      registers: [this.#registry],
      async collect() {
        const value = await readInTime(read);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** Values by one label, read for each request of the metrics. `id` is `name` and `label` with a dot between them. */
  gauges(id: string, help: string, of: ValueOf, read: () => LabelledValues | Promise<LabelledValues>): void {
    const [name = '', label = ''] = id.split('.');
    new Gauge({
      name: PREFIX + name,
      help,
      aggregator: AGGREGATORS[of],
      labelNames: [label],
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const [value, count] of Object.entries((await readInTime(read)) ?? {}))
          this.set({ [label]: value }, count);
      },
    });
  }

  /** Facts that do not change while the process runs, as labels of a gauge with the value 1. */
  info(name: string, help: string, facts: Readonly<Record<string, string>>): void {
    const [labelNames, registers] = [Object.keys(facts), [this.#registry]];
    new Gauge({ name: PREFIX + name, help, aggregator: 'max', labelNames, registers }).set({ ...facts }, 1);
  }

  /** All metrics, in the text format of Prometheus (version 0.0.4). */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The registry, to be summed with those of other processes. */
  get registry(): Registry {
    this.#observeProcess();
    return this.#registry;
  }
}

/** A value; undefined if it cannot be read in time: a store that is away hides nothing else that is known. */
async function readInTime<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  let end = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    end = afterRunning(READ_MS, () => resolve(undefined));
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined;
  } finally {
    end();
  }
}
