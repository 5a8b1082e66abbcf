// Where traces are sent: the variables of OpenTelemetry that the gateway reads.
import { z } from 'zod';
import { httpUrl } from './config-values.js';

/** Where traces are sent, and how many. */
export interface TracingConfig {
  /** The base address of a collector (OTLP over HTTP), without a trailing slash. */
  readonly endpoint: string;
  /** Sent with each export, such as a collector's key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that are recorded, 0 to 1. */
  readonly ratio: number;
}

const HEADER = /^\s*([\w-]+)\s*=\s*([\x21-\x2b\x2d-\x7e]+)\s*$/;

/**
 * Names and values of headers, as in OTEL_EXPORTER_OTLP_HEADERS: `name=value`, separated by commas, values
 * percent-encoded.
 */
const headers = z.string().transform((text, issue) => {
  const pairs = text.split(',').map((pair) => HEADER.exec(pair));
  try {
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '%')]));
  } catch {
    // The value is a secret: it is not repeated.
    issue.addIssue({ code: 'custom', message: 'must be headers as name=value, separated by commas' });
    return z.NEVER;
  }
});

const ratio = z.string().transform((text, issue) => {
  const value = Number(text);
  if (/^\d(\.\d{1,9})?$/.test(text) && value <= 1) return value;
  issue.addIssue({ code: 'custom', message: 'must be the share of requests that are traced, from 0 to 1' });
  return z.NEVER;
});

/** The variables, for config.ts. */
export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_SERVICE_NAME: z.string().max(255, 'must be at most 255 characters').default('credential-gateway'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(0.1),
};

/** The configuration; undefined: nothing is traced. */
export function tracingOf(env: z.output<z.ZodObject<typeof TRACING_VARIABLES>>): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: given = {} } = env;
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: given, serviceName: env.OTEL_SERVICE_NAME, ratio: env.OTEL_TRACES_SAMPLER_ARG };
}
