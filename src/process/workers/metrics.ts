// Metrics of several processes on one port: each worker returns the sum over all workers, which the primary computes.
import cluster from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { DomainError } from '../../base/errors.js';
import type { Metrics } from '../../base/monitoring/metrics.js';

const QUESTION = 'gateway:metrics';
/** Time limit for the primary's reply: longer than the library waits for the workers. Milliseconds. */
const WAIT_MS = 10_000;

interface Question {
  type: typeof QUESTION;
  id: number;
}

interface Answer extends Question {
  /** Undefined if the workers did not respond in time. */
  text: string | undefined;
}

const isOurs = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && (message as Question).type === QUESTION;

/** In the primary: responds to workers that ask for the sum of all metrics. */
export function answerMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isOurs(message)) return;
    const answer = (text: string | undefined) => worker.isConnected() && worker.send({ ...message, text });
    registry.clusterMetrics().then(answer, () => answer(undefined));
  });
}

/** In a worker: the sum of all workers' metrics, from the primary. */
export function metricsOfWorkers(own: Metrics): () => Promise<string> {
  AggregatorRegistry.setRegistries([own.registry]);
  // Its constructor listens for the primary's requests.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | undefined) => void>();
  let asked = 0;
  process.on('message', (message: unknown) => {
    if (!isOurs(message)) return;
    waiting.get(message.id)?.((message as Answer).text);
  });
  return async () => {
    asked += 1;
    const id = asked;
    const text = await new Promise<string | undefined>((resolve) => {
      waiting.set(id, resolve);
      setTimeout(() => resolve(undefined), WAIT_MS).unref();
      process.send?.({ type: QUESTION, id } satisfies Question);
    });
    waiting.delete(id);
    if (text === undefined)
      throw new DomainError('STORE_UNAVAILABLE', 'A worker does not respond; try again shortly.', { retryAfter: 5 });
    return text;
  };
}
