// Traces, as a collector receives them (OTLP over HTTP, JSON).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { TraceExporter } from '../../../src/base/monitoring/trace-exporter.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { ODD_ANSWERS, oddServer } from '../../support/odd-server.js';

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: object }[];
  status: { code: number };
}

/** A collector of traces. */
class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly texts: string[] = [];
  readonly keys = new Set<unknown>();
  readonly #server: Server = createServer((request, response) => {
    void json(request).then((body) => {
      this.keys.add(request.headers['x-collector-key']);
      this.texts.push(JSON.stringify(body));
      for (const { scopeSpans } of (body as { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] })
        .resourceSpans)
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function traced(env: Record<string, string> = {}): Promise<{ collector: Collector; gateway: TestGateway }> {
  const collector = new Collector();
  const endpoint = await collector.start();
  open.push({ close: () => collector.stop() });
  const gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=s%20cret',
      OTEL_TRACES_SAMPLER_ARG: '1',
      ...env,
    },
  });
  open.push(gateway);
  return { collector, gateway };
}

const PAGE =
  '{ credentials(first: 3, where: { name: { in: ["canary-4711", "x"] } }) { nodes { name issuer { name } } } }';

it('one trace has the request, its operation and its commands, and no span for a field', async () => {
  const { collector, gateway } = await traced();
  const traceId = 'a'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01`, 'content-type': 'application/json' };
  const body = { query: `query Canary ${PAGE}` };
  expect((await gateway.rest('POST', '/graphql', { body, headers })).status).toBe(200);
  await eventually(() => expect(collector.named('POST /graphql')).toHaveLength(1));
  const [request] = collector.named('POST /graphql');
  expect(request).toMatchObject({ traceId, parentSpanId: 'b'.repeat(16), kind: 2 });
  const [operation] = collector.named('query Canary');
  expect(operation).toMatchObject({ traceId, parentSpanId: request?.spanId });
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === operation?.spanId);
  expect(below.length).toBeGreaterThan(0);
  expect(below.every(({ attributes }) => attributes.some(({ key }) => key === 'db.operation.name'))).toBe(true);
  expect(collector.spans.filter((span) => span.traceId === traceId)).toHaveLength(2 + below.length);
  expect(collector.keys).toEqual(new Set(['s cret']));
});

it('a trace contains nothing that callers send except names of operations', async () => {
  const { collector, gateway } = await traced();
  await gateway.gql(PAGE);
  await gateway.rest('GET', '/v1/catalog/credentials/canary-4711?x=canary-4711', {
    headers: { 'x-partner-auth': 'canary-4711' },
  });
  await gateway.rest('POST', '/v2/auth/initialize-user', { body: { email: 'canary-4711@example.org' } });
  await eventually(() => expect(collector.named('POST /v2/auth/initialize-user')).toHaveLength(1));
  expect(collector.named('GET /v1/catalog/credentials/:id')).toHaveLength(1);
  expect(collector.texts.join()).not.toContain('canary-4711');
});

it('no request is traced if the share is 0', async () => {
  const { collector, gateway } = await traced({ OTEL_TRACES_SAMPLER_ARG: '0' });
  const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  expect((await gateway.rest('GET', '/v1/catalog/credentials', { headers })).status).toBe(200);
  await gateway.close();
  open.pop();
  expect(collector.spans).toEqual([]);
});

it.each(['1', '0'])(
  'an unreachable collector is a problem in readiness and does not affect requests, with a share of %s',
  async (share) => {
    const gateway = await startGateway({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER_ARG: share },
    });
    open.push(gateway);
    expect((await gateway.gql(PAGE)).errors).toBeUndefined();
    await eventually(async () => {
      const { status, body } = await gateway.rest('GET', '/health/ready');
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain('Traces cannot be sent');
    });
  },
);

it.each(Object.entries(ODD_ANSWERS))(
  'a collector that responds with %s does not block later spans',
  async (_name, odd) => {
    const received: string[] = [];
    const server = await oddServer(async (request, response) => {
      received.push(JSON.stringify(await json(request)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    open.push(server);
    const ended: boolean[] = [];
    const exporter = new TraceExporter({
      endpoint: server.url,
      headers: {},
      timeoutMs: 100,
      serialize: () => Buffer.from('{}'),
      onEnded: (error) => void ended.push(error === undefined),
    });
    const exported = () => new Promise<number>((done) => exporter.export([], ({ code }) => done(code)));
    server.odd = odd;
    // More spans than the library's exporter sends at the same time.
    await Promise.all(Array.from({ length: 40 }, exported));
    expect(ended).toHaveLength(40);
    server.odd = undefined;
    await eventually(async () => expect(await exported()).toBe(0));
    expect(received.length).toBeGreaterThan(0);
    expect(ended.at(-1)).toBe(true);
    await exporter.shutdown();
  },
);
