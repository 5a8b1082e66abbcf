// `npm run bench -- traffic`: the visitors of a large catalog, our gateway at its defaults against PostGraphile, by processor time of a request
// of server and database together.
import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { type BenchStore, openBenchStore } from './bench-store.js';
import { LOAD_CORE, moveTo, SERVER_CORE } from './cores.js';
import { GatewayProcess, OPERATOR_KEY, scratchFolder } from './gateway-process.js';
import { isSame } from './graphql-load.js';
import { startInstalledPeer } from './peer-process.js';
import { INDEXES, rowsAsSql, TABLES, TRAFFIC_INDEXES } from './peers/relational.js';
import { HOW_TO_INSTALL, startPostgres } from './postgres.js';
import { cpuSeconds } from './processor-time.js';
import { type Bar, median, TooNoisy } from './report.js';
import { OUR_LIST, THEIR_DOCUMENTS, type TrafficRequest, trafficRequests } from './traffic-requests.js';

const CREDENTIALS = Number(process.env.CREDENTIALS ?? 100_000);
/** Requests of a round. */
const REQUESTS = Number(process.env.REQUESTS ?? 5_000);
const ROUNDS = 3;
const AT_ONCE = 10;
/** Requests whose answers are compared before anything is measured. */
const COMPARED = 300;
/** More between the rounds of one contender, and the machine is too noisy for a figure. */
const MOST_SPREAD = 0.15;

interface Contender {
  name: string;
  /** Sends a request; returns the credentials, in our form. @throws Error when it is refused. */
  ask(request: TrafficRequest): Promise<unknown>;
  /** Processor time of server and store until now, seconds. */
  seconds(): { server: number; store: number };
}

async function sent(url: string, method: string, body: object, headers = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok || json.errors) throw new Error(`${url} failed: ${JSON.stringify(json).slice(0, 500)}`);
  return json;
}

const nodesOf = ({ data }: Record<string, unknown>): Record<string, unknown>[] =>
  (data as { credentials: { nodes: Record<string, unknown>[] } }).credentials.nodes;

function ourContender(gateway: GatewayProcess, store: BenchStore, bodies: ReadonlyMap<string, object>): Contender {
  return {
    name: 'ours',
    ask: async ({ ours }) => {
      if (!('id' in ours))
        return nodesOf(await sent(`${gateway.url}/graphql`, 'POST', { query: OUR_LIST, variables: ours }));
      const body = { ...bodies.get(ours.id), name: ours.name };
      await sent(`${gateway.url}/v1/admin/credentials/${ours.id}`, 'PUT', body, { 'x-admin-api-key': OPERATOR_KEY });
      return undefined;
    },
    seconds: () => ({ server: cpuSeconds(gateway.pid), store: store.cpuSeconds?.() ?? Number.NaN }),
  };
}

const hashOf = (document: string): string => createHash('sha256').update(document).digest('hex');

function withTraction({
  holderCount,
  issuanceCount,
  verificationCount,
  demandCount,
  ...rest
}: Record<string, unknown>) {
  return { ...rest, traction: { holderCount, issuanceCount, verificationCount, demandCount } };
}

/** PostGraphile over PostgreSQL with the store's rows; undefined where PostgreSQL is not installed. */
async function startTheirs(store: BenchStore): Promise<(Contender & { stop(): Promise<void> }) | undefined> {
  const postgres = await startPostgres();
  if (!postgres) return undefined;
  const client = await MongoClient.connect(store.uri);
  postgres.run(TABLES);
  postgres.run(await rowsAsSql(client.db()));
  postgres.run(INDEXES);
  postgres.run(TRAFFIC_INDEXES);
  await client.close();
  const documents = JSON.stringify(Object.values(THEIR_DOCUMENTS));
  const peer = await startInstalledPeer('postgraphile', [postgres.uri, documents, String(AT_ONCE)]);
  return {
    name: `PostGraphile, ${postgres.version}`,
    ask: async ({ kind, theirs }) => {
      const answer = await sent(`${peer.url}/graphql`, 'POST', {
        documentId: hashOf(THEIR_DOCUMENTS[kind]),
        variables: theirs,
      });
      return kind === 'write' ? undefined : nodesOf(answer).map(withTraction);
    },
    seconds: () => ({ server: cpuSeconds(peer.pid), store: postgres.cpuSeconds() }),
    stop: async () => {
      peer.stop();
      await postgres.stop();
    },
  };
}

/** What a write of an entry repeats, by id. */
async function bodiesOf(store: BenchStore): Promise<Map<string, object>> {
  const client = await MongoClient.connect(store.uri);
  const fields = { category: 1, issuerId: 1, schemaId: 1 };
  const rows = client.db().collection<{ _id: string }>('credentials').find({}, { projection: fields });
  const bodies = new Map<string, object>();
  for await (const { _id, ...body } of rows) bodies.set(_id, body);
  await client.close();
  return bodies;
}

/** @throws Error when the contenders answer differently. */
async function compare(ours: Contender, theirs: Contender): Promise<void> {
  const requests = trafficRequests(CREDENTIALS, 1);
  for (let at = 0; at < COMPARED; at += 1) {
    const { value: request } = requests.next();
    const [one, other] = [await ours.ask(request), await theirs.ask(request)];
    if (isSame(one, other)) continue;
    const shown = (answer: unknown): string => JSON.stringify(answer)?.slice(0, 400) ?? '';
    throw new Error(`answers to ${JSON.stringify(request)} differ:\n${shown(one)}\n${shown(other)}`);
  }
}

interface Round {
  /** Microseconds of processor time for a request. */
  server: number;
  store: number;
  sum: number;
}

async function round({ ask, seconds }: Contender, seed: number): Promise<Round> {
  const requests = trafficRequests(CREDENTIALS, seed);
  const before = seconds();
  let left = REQUESTS;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await ask(requests.next().value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const { server, store } = seconds();
  const micros = (now: number, then: number): number => ((now - then) / REQUESTS) * 1e6;
  const [one, other] = [micros(server, before.server), micros(store, before.store)];
  return { server: one, store: other, sum: one + other };
}

/** Hits of a cache by our metrics, percent of those asked. */
async function hitRates(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: { 'x-admin-api-key': OPERATOR_KEY } });
  const text = await answer.text();
  return ['cached_rows', 'cached_lists', 'cached_responses']
    .map((cache) => {
      const of = (result: string): number =>
        Number(new RegExp(`^\\w*${cache}\\{[^}]*"${result}"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
      const [hits, misses] = [of('hits'), of('misses')];
      return `${cache.replace('cached_', '')} ${((100 * hits) / (hits + misses || 1)).toFixed(0)} %`;
    })
    .join(', ');
}

const spreadOf = (rounds: readonly Round[]): number => {
  const sums = rounds.map(({ sum }) => sum);
  return (Math.max(...sums) - Math.min(...sums)) / median(sums);
};

function show(name: string, rounds: readonly Round[]): void {
  const [server, database, sum] = (['server', 'store', 'sum'] as const).map((of) =>
    `${Math.round(median(rounds.map((each) => each[of])))} µs`.padStart(10),
  );
  console.log(`${name.padEnd(50)}${server}${database}${sum}`);
}

/** The bar of the traffic of a large catalog. @throws Error when answers differ or the machine is too noisy. */
export async function* trafficBars(): AsyncIterable<Bar> {
  moveTo(LOAD_CORE);
  const store = await openBenchStore(CREDENTIALS);
  const theirs = await startTheirs(store);
  if (!theirs) throw new Error(`The traffic is compared with PostgreSQL: ${HOW_TO_INSTALL}`);
  const bodies = await bodiesOf(store);
  // The last: it ends a connection that is idle while PostgreSQL is filled.
  const gateway = await GatewayProcess.start(scratchFolder(), { mongodbUri: store.uri, core: SERVER_CORE });
  const ours = ourContender(gateway, store, bodies);
  await compare(ours, theirs);
  const rounds = new Map<Contender, Round[]>([
    [ours, []],
    [theirs, []],
  ]);
  // The first round warms up: caches, compilers, the pages of the databases.
  for (let at = 0; at <= ROUNDS; at += 1)
    for (const [contender, all] of rounds) {
      const measured = await round(contender, 2 + at);
      if (at > 0) all.push(measured);
    }
  const [mine = [], other = []] = [...rounds.values()];
  const hits = await hitRates(gateway.url);
  await theirs.stop();
  await gateway.stop();
  await store.stop();
  const noise = Math.max(spreadOf(mine), spreadOf(other));
  if (noise > MOST_SPREAD)
    throw new TooNoisy(`The machine is too noisy: rounds differ by ${Math.round(noise * 100)} %.`);
  console.log(`\n${CREDENTIALS} credentials; processor time of a request: server, database, in sum`);
  for (const [{ name }, all] of rounds) show(name, all);
  yield {
    name: 'traffic of a large catalog, ours to PostGraphile with PostgreSQL',
    measured: median(mine.map(({ sum }, at) => sum / (other[at]?.sum ?? sum))),
    limit: 1,
    holds: 'at most',
    unit: '',
    detail: `hits: ${hits}`,
  };
}
