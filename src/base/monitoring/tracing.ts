// Traces of requests (OpenTelemetry), if a collector is configured: a span for the request, its GraphQL operation, each
// database command and each outbound call; none for fields. Without a collector, none of this is loaded.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Span, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';
import type { TracingConfig } from '../config/tracing-config.js';
import type { ProblemReport } from './problems.js';
import { TraceExporter } from './trace-exporter.js';

/** The longest wait for a collector, milliseconds; also at the end of the process. */
const EXPORT_MS = 2_000;
/** How long after a failure the collector is asked again: there may be no spans for hours. */
const PROBE_AGAIN_MS = 15_000;

interface TracingParts {
  tracer: Tracer;
  kinds: typeof SpanKind;
  codes: typeof SpanStatusCode;
  /** A span's parent; undefined if the span begins a trace. */
  below(parent: Span | undefined, traceparent?: string): Parameters<Tracer['startSpan']>[2];
  close(): Promise<void>;
}

/** The spans of a process. Names and attributes never contain values that callers sent. */
export class Tracing {
  /**
   * Follows a request through its promises, which slows down each promise a little; only used if traces are configured.
   */
  readonly #current = new AsyncLocalStorage<Span>();

  constructor(private readonly parts: TracingParts) {}

  /** The span of a request. @param traceparent the caller's header (W3C Trace Context); the span joins its trace. */
  request(name: string, traceparent: string | undefined): Span {
    const { tracer, kinds, below } = this.parts;
    return tracer.startSpan(name, { kind: kinds.SERVER }, below(undefined, traceparent));
  }

  /** Runs work. Spans that begin in it are children of this span. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work);
  }

  /** A span below the current one; undefined outside of recorded requests. */
  begin(name: string, isCall: boolean, attributes: Attributes): Span | undefined {
    const parent = this.#current.getStore();
    if (!parent?.isRecording()) return undefined;
    const { tracer, kinds, below } = this.parts;
    const kind = isCall ? kinds.CLIENT : kinds.INTERNAL;
    return tracer.startSpan(name, { kind, attributes }, below(parent));
  }

  /**
   * Ends a span. @param failure the name of the failure, if there was one; never its message, which may contain values.
   */
  end(span: Span, failure?: string): void {
    if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: this.parts.codes.ERROR });
    span.end();
  }

  /** Sends the remaining spans, for at most 2 s. */
  close(): Promise<void> {
    return this.parts.close();
  }
}

/** Loads OpenTelemetry. An unreachable collector is reported as a problem and does not affect requests. */
export async function startTracing(config: TracingConfig, problems: ProblemReport): Promise<Tracing> {
  const [api, sdk, otlp, core, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ]);
  let again: NodeJS.Timeout | undefined;
  const exporter = new TraceExporter({
    ...config,
    timeoutMs: EXPORT_MS,
    serialize: (spans) => otlp.JsonTraceSerializer.serializeRequest(spans),
    onEnded: (error) => {
      clearTimeout(again);
      if (error === undefined) return problems.clear('traces-not-sent');
      problems.raise('traces-not-sent', { cause: error });
      again = setTimeout(() => exporter.probe(), PROBE_AGAIN_MS).unref();
    },
  });
  exporter.probe();
  const ratio = new sdk.TraceIdRatioBasedSampler(config.ratio);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.serviceName }),
    // A caller's sampling flag is ignored: the id of its trace decides. The exporter's queue bounds callers that choose ids for this.
    sampler: new sdk.ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  return new Tracing({
    tracer: provider.getTracer('credential-gateway'),
    kinds: api.SpanKind,
    codes: api.SpanStatusCode,
    below: (parent, traceparent) => {
      if (parent) return api.trace.setSpan(api.ROOT_CONTEXT, parent);
      const remote = traceparent === undefined ? null : core.parseTraceParent(traceparent);
      return remote === null
        ? api.ROOT_CONTEXT
        : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, isRemote: true });
    },
    close: async () => {
      const end = new Promise<void>((resolve) => setTimeout(resolve, EXPORT_MS).unref());
      // The exporter reports spans that cannot be sent.
      await Promise.race([provider.shutdown().catch(() => {}), end]);
      clearTimeout(again);
    },
  });
}
