// `node dist/bench/memory-soak.js [minutes]`: one gateway under everything at once, and what it holds in memory, minute by minute: the heap
// after a collection, and the memory of its own. Pages asked again, queries asked once, writes, issuances and listeners.
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openBenchStore } from './bench-store.js';
import { Load, prepare } from './chaos/load.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';

const CREDENTIALS = 10_000;
const PROGRAMS = 3_000;
const LISTENERS = 48;
const PAUSE_MS = 20;
const MEGABYTE = 1024 * 1024;

/** A debugger's connection to the gateway: the one way to see its heap without a word of it in the gateway itself. */
class Inspector {
  #id = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async connect(port: number): Promise<Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Inspector(socket);
  }

  call(method: string): Promise<Record<string, unknown>> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      const take = (text: unknown): void => {
        const message = JSON.parse(String(text));
        if (message.id !== id) return;
        this.socket.off('message', take);
        resolve(message.result);
      };
      this.socket.on('message', take);
      this.socket.send(JSON.stringify({ id, method }));
    });
  }

  /** Bytes that are in use after a collection. */
  async heap(): Promise<number> {
    await this.call('HeapProfiler.collectGarbage');
    return Number((await this.call('Runtime.getHeapUsage')).usedSize);
  }
}

let asked = 0;
const ASKED: readonly ((gateway: GatewayProcess) => Promise<unknown>)[] = [
  (gateway) => gateway.get(`/v1/catalog/credentials?page=${1 + (asked % 200)}&limit=20`),
  (gateway) => gateway.get(`/v1/catalog/credentials/credential-${asked % CREDENTIALS}`),
  (gateway) =>
    gateway.query(
      '{ credentials(first: 20) { nodes { name issuer { name } programs(first: 3) { nodes { name } } } } }',
    ),
  (gateway) =>
    gateway.query(
      `query Once${asked} { credential(credentialId: "credential-${asked % CREDENTIALS}") { name schema { title } } }`,
    ),
  (gateway) => gateway.query(`{ search(query: "cred ${asked % 500}") { credentials { total } } }`),
  (gateway) => gateway.put('verifiers/soak', { name: `Soak ${asked}`, verifierDid: 'did:example:soak' }),
];

async function ask(gateway: GatewayProcess, until: number): Promise<void> {
  while (performance.now() < until) {
    asked += 1;
    await ASKED[asked % ASKED.length]?.(gateway);
    await delay(PAUSE_MS);
  }
}

/** Listens to the catalog for as long as the process runs. */
async function listen(url: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const query = 'subscription { catalogChanged { id changes { entryId node { id } } } }';
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
}

async function main(minutes: number): Promise<void> {
  const store = await openBenchStore(CREDENTIALS, PROGRAMS);
  const inspectorPort = 9_400 + Math.floor(Math.random() * 500);
  const settings = { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`, SOCKETS: '100' };
  const gateway = await GatewayProcess.start(scratchFolder(), { mongodbUri: store.uri, settings });
  const load = new Load(await prepare(gateway.url), [gateway.url]);
  load.start(2);
  for (let listener = 0; listener < LISTENERS; listener += 1) await listen(gateway.url);
  const inspector = await Inspector.connect(inspectorPort);
  const until = performance.now() + minutes * 60_000;
  const lanes = Promise.all(Array.from({ length: 4 }, () => ask(gateway, until)));
  for (let minute = 0; minute <= minutes; minute += 1) {
    const [heap, own] = [await inspector.heap(), gateway.rssAnon()];
    console.log(
      `minute ${minute}: ${Math.round(heap / MEGABYTE)} MB of heap after a collection, ${Math.round(own / MEGABYTE)} MB of its own, ${asked} requests`,
    );
    await delay(60_000);
  }
  await Promise.all([lanes, load.stop()]);
  process.exit();
}

await main(Number(process.argv[2] ?? 30));
