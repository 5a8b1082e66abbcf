// What traces cost: the page on two gateways, one of which sends a trace of every request to a collector. Processor time, in turns.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { type Contender, measure } from './graphql-load.js';
import { FIRST, pageBody } from './graphql-query.js';
import { type Bar, median } from './report.js';

const ROUNDS = 5;
const SECONDS = 4;

/** Takes what comes. */
async function collector(): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

async function contenderOf(name: string, gateway: GatewayProcess): Promise<Contender> {
  const { query, variables } = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  const expected = await gateway.query(query, variables);
  return { name, url: gateway.url, pid: gateway.pid, method: 'POST', path: '/graphql', body: pageBody(), expected };
}

async function cost(what: string, endpoint: string, settings: Record<string, string>): Promise<Bar> {
  const traced = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const start = (all: Record<string, string>) => GatewayProcess.start(scratchFolder(), { sample: true, settings: all });
  const gateways = [await start(settings), await start(traced)];
  try {
    const contenders = await Promise.all(gateways.map((gateway, at) => contenderOf(at === 0 ? 'off' : 'on', gateway)));
    const times: [number[], number[]] = [[], []];
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [at, contender] of contenders.entries()) {
        const { cpuMicros } = await measure(contender, SECONDS);
        if (round >= 0) times[at]?.push(cpuMicros);
      }
    const [off, on] = times.map(median) as [number, number];
    const detail = `${on.toFixed(0)} µs against ${off.toFixed(0)} µs a page of ${FIRST}`;
    const measured = 100 * (on / off - 1);
    return { name: `what traces cost ${what}`, measured, limit: 10, holds: 'at most', unit: '%', detail };
  } finally {
    for (const gateway of gateways) await gateway.stop();
  }
}

/** The bars of traces. */
export async function* tracingBars(): AsyncIterable<Bar> {
  const { url, stop } = await collector();
  yield await cost('a page from cached rows', url, { RESPONSE_CACHE_MB: '0' });
  yield await cost('a cached response', url, {});
  yield await cost('a page from the store', url, { RESPONSE_CACHE_MB: '0', ENTITY_CACHE_MB: '0' });
  stop();
}
