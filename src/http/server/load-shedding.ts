// Load shedding: while the event loop lags, requests are refused at once with 503, so that the requests that are served
// end in time. Health checks and the operator's routes are always served.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../base/errors.js';
import type { Metrics } from '../../base/monitoring/metrics.js';
import { LoopDelay } from './loop-delay.js';

declare module 'fastify' {
  export interface FastifyContextConfig {
    /**
     * Served under any load: health checks, and the operator's routes, which refuse all other callers before any work.
     */
    alwaysServed?: boolean;
  }
}

const RETRY_AFTER_S = 5;
/** Milliseconds between two evaluations of the ticks. This is often enough, because a decision holds for a while. */
const LOOK_MS = 250;
/** How long the event loop is measured after the last request, milliseconds: longer than ticks count. */
const QUIET_MS = 10_000;

/** Decides which requests are refused. */
export class LoadShedding {
  readonly #delay = new LoopDelay();
  #isOver = false;
  #look: NodeJS.Timeout | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param limitMs the lag of the event loop above which requests are refused, milliseconds; 0: never. */
  constructor(
    private readonly limitMs: number,
    private readonly onRefused: () => void,
  ) {}

  /** Whether the event loop is measured: only while requests arrive. */
  get isMeasuring(): boolean {
    return this.#look !== undefined;
  }

  stop(): void {
    clearInterval(this.#look);
    this.#look = undefined;
    this.#isOver = false;
    this.#delay.stop();
  }

  #measure(): void {
    this.#askedAt = performance.now();
    if (this.isMeasuring || this.limitMs === 0) return;
    this.#delay.start();
    this.#look = setInterval(() => {
      if (performance.now() - this.#askedAt > QUIET_MS) this.stop();
      else this.#isOver = this.#delay.exceeds(this.limitMs);
    }, LOOK_MS).unref();
  }

  /** Whether requests are served now. */
  get isServing(): boolean {
    this.#measure();
    return !this.#isOver;
  }

  /** The error for a request, if it is refused. */
  refusal({ facts, is404 }: FastifyRequest): DomainError | undefined {
    if (is404 || facts.route.alwaysServed) return undefined;
    if (this.isServing) return undefined;
    this.onRefused();
    return new DomainError('OVERLOADED', 'The gateway is overloaded; try again shortly.', {
      retryAfter: RETRY_AFTER_S,
    });
  }
}

/** Load shedding for a server, until it is closed. */
export function shedLoad(app: FastifyInstance, limitMs: number, metrics: Metrics): LoadShedding {
  const refused = metrics.counter('requests_shed_total', 'Requests that were refused because of the load', []);
  const shedding = new LoadShedding(limitMs, () => refused.inc());
  app.addHook('onClose', async () => shedding.stop());
  return shedding;
}
