// What subscriptions cost: the server alone on one core, and a store, the publisher and every client on the other. Events are rows in the
// log, written to the store as services write them; each client checks that it gets every one, once and in order.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { MongoClient } from 'mongodb';
import { commandOn, LOAD_CORE, moveTo, SERVER_CORE } from './cores.js';
import { type EngineProcess, startEngine } from './engine-process.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { RawSubscriber } from './raw-subscriber.js';
import { type Bar, median } from './report.js';

const PARTNER = randomUUID();
const DATABASE = 'bench_subscriptions';
const EVERY_MS = 100;
const EVENTS = 100;
/** Sockets opened at the same time. */
const OPENING = 200;
const IDLE = 10_000;
/** All listeners of a bench are strangers of one address. */
const LIMITS = { SOCKETS: '20000', SOCKET_OPERATIONS: '500', ANONYMOUS_SUBSCRIPTIONS: '20000' };
const SETTLE_MS = 3_000;
/** Of the frame that every subscriber gets. */
const FRAME_BYTES = 330;
const BARE_CONNECTIONS = 1_000;
const BARE_ROUNDS = 50;
const MICROSECONDS_A_TICK = 10_000;

const QUERY = `subscription ($after: ID) {
  issuanceEvents(after: $after) { id type at coreClaimHash credential { credentialId name issuer { name } } }
}`;
const IDLE_QUERY = 'subscription ($id: String!) { tractionChanged(credentialId: $id) { id } }';

interface Setting {
  engine: EngineProcess;
  /** The gateways' database. */
  uri: string;
  client: MongoClient;
  gateway: GatewayProcess;
  token: string;
}

async function startGateway(uri: string, core?: number): Promise<GatewayProcess> {
  return GatewayProcess.start(scratchFolder(), { mongodbUri: uri, core, settings: LIMITS });
}

async function prepare(): Promise<Setting> {
  moveTo(LOAD_CORE);
  const engine = await startEngine(scratchFolder());
  const address = new URL(engine.uri);
  address.pathname = `/${DATABASE}`;
  const uri = address.toString();
  const env = { PATH: process.env.PATH, MONGODB_URI: uri, DATA_DIR: scratchFolder() };
  execFileSync(process.execPath, ['dist/cli/main.js', 'migrate'], { env });
  const gateway = await startGateway(uri, SERVER_CORE);
  await gateway.put('issuers/bench', { name: 'Bench', issuerFrom: 'bench', managed: true });
  const point = { name: 'note', type: 'string', isRequired: true, description: '' };
  await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints: [point] });
  const credential = { name: 'Bench', category: 'Bench', issuerId: 'bench', schemaId: 'bench' };
  await gateway.put('credentials/bench', credential);
  return { engine, uri, gateway, token: await registerPartner(gateway), client: await MongoClient.connect(uri) };
}

async function registerPartner(gateway: GatewayProcess): Promise<string> {
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const rights = { scopes: ['issue'], issuerDids: [], issueOnBehalf: false, allowedOrigins: [], requireTyp: true };
  await gateway.put(`partners/${PARTNER}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
  return new SignJWT({ partnerId: PARTNER, scope: 'issue' })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
    .setExpirationTime('14m')
    .sign(keys.privateKey);
}

/** Publishes one event; its number is in its hash. */
async function publish({ client }: Setting, number: number): Promise<void> {
  const payload = {
    coreClaimHash: `bench-${String(number).padStart(8, '0')}`,
    credentialId: 'bench',
    issuerId: 'bench',
    schemaId: 'bench',
  };
  await client
    .db()
    .collection('events')
    .insertOne({
      type: 'submitted',
      at: new Date(),
      viewers: { partnerId: PARTNER },
      channels: [`partner:${PARTNER}`],
      payload,
      pending: true,
    });
}

/** Subscribers of one document, and what has reached them. */
class Audience {
  readonly latencies: number[] = [];
  readonly #publishedAt: number[] = [];
  readonly #subscribers: RawSubscriber[] = [];
  #reached = 0;
  /** Events of the warm-up tell only who is there already. */
  #warm = false;

  async open(setting: Setting, gateway: GatewayProcess, size: number): Promise<void> {
    const port = Number(new URL(gateway.url).port);
    const there = new Set<number>();
    for (let from = 0; from < size; from += OPENING) {
      const some = Array.from({ length: Math.min(OPENING, size - from) }, (_, index) => {
        let last = -1;
        const onEvent = (number: number): void => {
          if (number < 0 || !this.#warm) return void there.add(from + index);
          if (number !== last + 1) throw new Error(`event ${number} came after ${last}`);
          last = number;
          this.#arrived(number);
        };
        const init = { 'x-partner-auth': setting.token };
        return new RawSubscriber({ port, init, operations: [{ query: QUERY }], onEvent });
      });
      this.#subscribers.push(...some);
      await Promise.all(some.map(({ subscribed }) => subscribed));
    }
    while (there.size < size) {
      await publish(setting, WARM_UP_NUMBER);
      await delay(EVERY_MS);
    }
    await delay(SETTLE_MS);
    this.#warm = true;
  }

  get size(): number {
    return this.#subscribers.length;
  }

  /** Publishes events at their moments, and waits until all have arrived, or nothing more does. */
  async hear(setting: Setting, events: number): Promise<void> {
    const start = performance.now();
    for (let number = 0; number < events; number += 1) {
      await delay(Math.max(0, start + number * EVERY_MS - performance.now()));
      this.#publishedAt[number] = performance.now();
      await publish(setting, number);
    }
    for (let before = -1; this.#reached < events * this.size && before < this.#reached; ) {
      before = this.#reached;
      await delay(1_000);
    }
  }

  get reached(): number {
    return this.#reached;
  }

  end(): void {
    for (const subscriber of this.#subscribers) subscriber.end();
  }

  #arrived(number: number): void {
    this.#reached += 1;
    this.latencies.push(performance.now() - (this.#publishedAt[number] ?? Number.NaN));
  }
}

const WARM_UP_NUMBER = 99_999_999;

/** Processor time that a process has used, microseconds (proc(5): utime and stime of stat, in ticks of 10 ms). */
function cpuOf({ pid }: GatewayProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_A_TICK;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const shown = (ms: number): string => `${ms.toFixed(0)} ms`;

async function* audience(
  setting: Setting,
  size: number,
): AsyncIterable<Bar & { latencies: readonly number[]; cpu: number }> {
  const listening = new Audience();
  await listening.open(setting, setting.gateway, size);
  const before = cpuOf(setting.gateway);
  await listening.hear(setting, EVENTS);
  const cpu = (cpuOf(setting.gateway) - before) / listening.reached;
  const { latencies, reached } = listening;
  listening.end();
  yield {
    name: `${size} subscribers of one document, a socket each, an event every ${EVERY_MS} ms: delivered`,
    measured: reached / (size * EVENTS),
    limit: 1,
    holds: 'at least',
    unit: '',
    detail: `${reached} deliveries, ${shown(percentile(latencies, 0.5))} at the median, ${cpu.toFixed(1)} µs of server CPU each`,
    latencies,
    cpu,
  };
}

/** Processor time of a bare write to a client on the other core, microseconds: what of a delivery nobody can save. */
async function bareWrite(): Promise<number> {
  const numbers = [BARE_CONNECTIONS, FRAME_BYTES, BARE_ROUNDS, EVERY_MS].map(String);
  const [command, args] = commandOn(SERVER_CORE, ['dist/bench/bare-writes.js', ...numbers]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const port = Number((await lines.next()).value);
  const onread = { buffer: Buffer.alloc(FRAME_BYTES * BARE_ROUNDS), callback: () => true };
  const clients = Array.from({ length: BARE_CONNECTIONS }, () => connect({ port, onread }).on('error', () => {}));
  const cost = Number((await lines.next()).value);
  for (const client of clients) client.destroy();
  return cost;
}

async function* crowd(setting: Setting): AsyncIterable<Bar> {
  for await (const bar of audience(setting, 1_000)) {
    yield bar;
    const detail = `a bare write of as many bytes: ${(await bareWrite()).toFixed(1)} µs`;
    yield { name: '… server CPU a delivery', measured: bar.cpu, limit: 15, holds: 'at most', unit: 'µs', detail };
  }
  for await (const bar of audience(setting, 5_000)) {
    yield bar;
    yield { name: '… p99', measured: percentile(bar.latencies, 0.99), limit: 250, holds: 'at most', unit: 'ms' };
  }
}

/** Memory of subscriptions that wait for something of their own each. */
async function idle(setting: Setting, onEach: number): Promise<Bar> {
  const gateway = await startGateway(setting.uri, SERVER_CORE);
  const port = Number(new URL(gateway.url).port);
  const open = async (count: number, name: string): Promise<RawSubscriber[]> => {
    const all: RawSubscriber[] = [];
    for (let from = 0; from < count; from += OPENING) {
      const some = Array.from({ length: Math.min(OPENING, count - from) }, (_, index) => {
        const operations = Array.from({ length: onEach }, (_, operation) => ({
          query: IDLE_QUERY,
          variables: { id: `${name}-${from + index}-${operation}` },
        }));
        return new RawSubscriber({ port, operations });
      });
      await Promise.all(some.map(({ subscribed }) => subscribed));
      all.push(...some);
    }
    await delay(SETTLE_MS);
    return all;
  };
  // The first ones pay for code and buffers that all the others share.
  const first = await open(Math.max(1, 500 / onEach), 'first');
  const before = gateway.rssAnon();
  const all = await open(IDLE / onEach, 'idle');
  const bytes = gateway.rssAnon() - before;
  if ([...first, ...all].some(({ closed }) => closed)) throw new Error('a socket was closed');
  for (const subscriber of [...first, ...all]) subscriber.end();
  await gateway.stop();
  return {
    name: `${IDLE} idle subscriptions of distinct variables, ${onEach === 1 ? 'a socket each' : `${onEach} a socket`}`,
    measured: bytes / IDLE / 1_024,
    limit: 30,
    holds: 'at most',
    unit: 'KB each',
  };
}

/** From the write of a row to a client of each of two gateways, of which one is the sequencer. */
async function across(setting: Setting): Promise<Bar> {
  const other = await startGateway(setting.uri);
  const medians: number[] = [];
  for (const gateway of [setting.gateway, other]) {
    const listening = new Audience();
    await listening.open(setting, gateway, 1);
    await listening.hear(setting, EVENTS);
    medians.push(median(listening.latencies));
    listening.end();
  }
  await other.stop();
  return {
    name: 'from the write of a row to a client, the worse of two gateways: p50',
    measured: Math.max(...medians),
    limit: 50,
    holds: 'at most',
    unit: 'ms',
    detail: medians.map(shown).join(' and '),
  };
}

/** The bars of subscriptions. */
export async function* subscriptionBars(): AsyncIterable<Bar> {
  const setting = await prepare();
  yield await across(setting);
  yield* crowd(setting);
  await setting.gateway.stop();
  yield await idle(setting, 1);
  yield await idle(setting, 100);
  await setting.client.close();
  await setting.engine.stop();
}
