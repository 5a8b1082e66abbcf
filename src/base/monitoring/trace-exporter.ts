// Sends finished spans to a collector (OTLP over HTTP, JSON). OpenTelemetry's own exporter never ends a request whose response is 101, and
// after 30 of those it sends nothing any more.
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../config/tracing-config.js';

export interface TraceExporterOptions extends Pick<TracingConfig, 'endpoint' | 'headers'> {
  /** The longest wait for the collector, milliseconds. */
  timeoutMs: number;
  serialize(spans: ReadableSpan[]): Uint8Array | undefined;
  /** Called after each request. */
  onEnded(error?: unknown): void;
}

/** A collector's address, for the span processor. */
export class TraceExporter implements SpanExporter {
  readonly #requests = new Set<Promise<void>>();

  constructor(private readonly options: TraceExporterOptions) {}

  /** Whether the collector accepts traces, told to `onEnded`: sends none. */
  probe(): void {
    this.export([], () => {});
  }

  /** Sends spans once; those that cannot be sent are lost. */
  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const { onEnded } = this.options;
    const request = this.#send(spans).then(
      () => {
        onEnded();
        done({ code: 0 });
      },
      (error: Error) => {
        onEnded(error);
        done({ code: 1, error });
      },
    );
    this.#requests.add(request);
    void request.finally(() => this.#requests.delete(request));
  }

  /** Resolves when the requests in progress have ended. */
  async shutdown(): Promise<void> {
    await Promise.all(this.#requests);
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const { endpoint, headers, timeoutMs, serialize } = this.options;
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: serialize(spans) ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector responded with HTTP ${response.status}`);
  }
}
