// `npm run bench -- versions <commit> [<commit>]`: the builds of two commits side by side, in turns, by processor time; the second is the
// work tree where it is not given. Each gateway has its embedded store, as `npm start` starts it, and the same catalog in it.
import { setTimeout as delay } from 'node:timers/promises';
import { credentialLines, foundation, programLines } from './catalog-data.js';
import { LOAD_CORE, moveTo, SERVER_CORE } from './cores.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { type Contender, measure } from './graphql-load.js';
import { type PageData, pageBody } from './graphql-query.js';
import { holders, issue, many, prepareIssuing } from './issuance.js';
import { startPeer } from './peer-process.js';
import { cpuSeconds, cpuSecondsWithChildren } from './processor-time.js';
import { RawSubscriber } from './raw-subscriber.js';
import { type Bar, median } from './report.js';
import { type Build, buildOf, type Caches, optionsOf } from './version-builds.js';

const CREDENTIALS = 1_000;
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 4;
const IDLE_SECONDS = 5;
const ISSUANCES = 200;
/** Rounds of issuances before the first that counts: V8 compiles their code meanwhile. */
const ISSUING_WARM_UP = 4;
const LISTENERS = 1_000;
const EVENTS = 20;
const POLL_MS = 10;
/** Until the subscriptions of all sockets have begun. */
const SETTLE_MS = 2_000;
/** Until an event has reached all listeners. */
const LIMIT_MS = 20_000;
/** The floor's own spread over the rounds; above it the figures say more of the machine than of us. */
const NOISE = 0.15;
/** Measured of builds that make such signatures; the other issuances are of credentials without one. */
const PROVABLE = 'an issuance with a signature for proofs';
/** What two runs of one build may differ by. */
const WITHIN = 1.03;

/** One thing that is measured of a build: microseconds of processor time a request, an issuance or a delivered event. */
type Measurement = () => Promise<number>;

interface Side {
  build: Build;
  measurements: ReadonlyMap<string, Measurement>;
  stop(): Promise<void>;
}

/** What all sides must answer, as the first one does. */
interface Expected {
  page?: unknown;
  detail?: unknown;
}

async function startGateway(build: Build, caches: Caches): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(scratchFolder(), { ...optionsOf(build, caches), core: SERVER_CORE });
  await gateway.import(foundation(CREDENTIALS));
  await gateway.import(credentialLines(CREDENTIALS));
  await gateway.import(programLines(CREDENTIALS, CREDENTIALS));
  return gateway;
}

/** Processor seconds a second of a gateway that nobody asks. */
async function idleOf({ pid }: GatewayProcess): Promise<number> {
  const before = cpuSeconds(pid);
  await delay(IDLE_SECONDS * 1_000);
  return (cpuSeconds(pid) - before) / IDLE_SECONDS;
}

function documents(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return pageBody(`Page${count}`);
  };
}

async function dataOf(gateway: GatewayProcess): Promise<{ page: unknown; path: string; detail: object }> {
  const { query, variables } = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  const page = (await gateway.query(query, variables)) as PageData;
  const path = `/v1/catalog/credentials/${page.credentials.nodes[0]?.credentialId}`;
  const { data } = (await gateway.get(path)) as { data: object };
  return { page, path, detail: data };
}

/** The members that the first build's record has, at any depth, but times: a later one may have more, and each store has times of its own. */
function membersOf(expected: unknown, record: unknown): unknown {
  if (typeof expected !== 'object' || expected === null || typeof record !== 'object' || record === null) return record;
  if (Array.isArray(expected)) return (record as unknown[]).map((each, at) => membersOf(expected[at], each));
  return Object.fromEntries(
    Object.entries(expected)
      .filter(([name]) => !name.endsWith('At'))
      .map(([name, value]) => [name, membersOf(value, (record as Record<string, unknown>)[name])]),
  );
}

async function start(build: Build, expected: Expected): Promise<Side> {
  const [responses, texts, rows] = [
    await startGateway(build, 'responses'),
    await startGateway(build, 'row texts'),
    await startGateway(build, 'rows'),
  ];
  const gateways = [responses, texts, rows];
  const { page, path, detail } = await dataOf(responses);
  expected.page ??= page;
  expected.detail ??= membersOf(detail, detail);
  const record = expected.detail;
  const idle = new Map<GatewayProcess, number>();
  for (const gateway of gateways) idle.set(gateway, await idleOf(gateway));
  const asked = (gateway: GatewayProcess, more: Partial<Contender>): Measurement => {
    const { url, pid } = gateway;
    const contender: Contender = { name: build.name, url, pid, method: 'POST', path: '/graphql', ...pageOf(expected) };
    const used = { server: idle.get(gateway) ?? 0, store: 0 };
    return async () => (await measure({ ...contender, ...more, idle: used }, ROUND_SECONDS)).cpuMicros;
  };
  const shaped = (data: unknown): unknown => membersOf(record, data);
  const get: Partial<Contender> = { method: 'GET', path, body: undefined, expected: record, shaped };
  return {
    build,
    measurements: new Map<string, Measurement>([
      ['a cached page', asked(responses, {})],
      ['a page of row texts', asked(texts, {})],
      ['a warm page', asked(rows, {})],
      ['a page by a document seen first', asked(responses, { body: documents() })],
      ['a REST detail', asked(responses, get)],
      ['an issuance', await issuing(responses, build.hasProofs ? { provable: false } : {})],
      [`an event to one of ${LISTENERS} listeners`, listening(responses)],
      ...(build.hasProofs ? [[PROVABLE, await issuing(texts)] as const] : []),
    ]),
    stop: async () => void (await Promise.all(gateways.map((gateway) => gateway.stop()))),
  };
}

const pageOf = ({ page }: Expected) => ({ body: pageBody(), expected: page });

/** Issuances of a partner, each to another holder. @param more members of the credentials. */
async function issuing(gateway: GatewayProcess, more: object = {}): Promise<Measurement> {
  const setting = await prepareIssuing(gateway, more);
  const people = await holders(setting, ISSUANCES);
  let round = 0;
  const issueAll = async (): Promise<void> => {
    const credential = round++;
    await many(ISSUANCES, (at) => issue(setting, people[at]?.userId ?? '', credential));
  };
  for (let warmed = 0; warmed < ISSUING_WARM_UP; warmed += 1) await issueAll();
  return async () => {
    const before = cpuSecondsWithChildren(gateway.pid);
    await issueAll();
    return ((cpuSecondsWithChildren(gateway.pid) - before) / ISSUANCES) * 1e6;
  };
}

const QUERY = 'subscription { catalogChanged(kinds: ["verifiers"]) { id type changes { entryId } } }';

/** Entries that an operator adds, each sent to all listeners, who each have a socket. */
function listening(gateway: GatewayProcess): Measurement {
  const port = Number(new URL(gateway.url).port);
  let [arrived, number] = [0, 0];
  const onEvent = (): void => {
    arrived += 1;
  };
  /** Waits until all have it: events that follow at once may share a frame. */
  const publish = async (): Promise<void> => {
    const wanted = arrived + LISTENERS;
    const name = `bench-${String(number++).padStart(8, '0')}`;
    await gateway.put(`verifiers/${name}`, { name, verifierDid: `did:example:${name}` });
    for (let waited = 0; arrived < wanted; waited += POLL_MS) {
      if (waited > LIMIT_MS) throw new Error(`${wanted - arrived} of ${LISTENERS} listeners got no event`);
      await delay(POLL_MS);
    }
  };
  const listen = async (): Promise<RawSubscriber> => {
    const listener = new RawSubscriber({ port, operations: [{ query: QUERY }], onEvent });
    await listener.subscribed;
    return listener;
  };
  return async () => {
    const listeners: RawSubscriber[] = [];
    while (listeners.length < LISTENERS)
      listeners.push(...(await Promise.all(Array.from({ length: LISTENERS / 10 }, listen))));
    await delay(SETTLE_MS);
    await publish();
    const cpuBefore = cpuSecondsWithChildren(gateway.pid);
    for (let event = 0; event < EVENTS; event += 1) await publish();
    const used = cpuSecondsWithChildren(gateway.pid) - cpuBefore;
    for (const listener of listeners) listener.end();
    return (used / (EVENTS * LISTENERS)) * 1e6;
  };
}

/** The same request to bare Fastify. */
async function startFloor({ page, detail }: Expected): Promise<{ measure: Measurement; stop(): void }> {
  const text = JSON.stringify({ data: page });
  const { url, pid, stop } = await startPeer('constant', ['-', text, JSON.stringify({ data: detail })]);
  const floor: Contender = { name: 'bare Fastify', url, pid, method: 'POST', path: '/page', ...pageOf({ page }) };
  await measure(floor, WARM_UP_SECONDS);
  return { measure: async () => (await measure(floor, ROUND_SECONDS)).cpuMicros, stop };
}

/** @throws Error where the machine is too noisy for a figure. */
function checkNoise(floors: readonly number[]): void {
  const spread = (Math.max(...floors) - Math.min(...floors)) / median(floors);
  if (spread > NOISE)
    throw new Error(
      `The machine is too noisy: bare Fastify itself varied by ${(spread * 100).toFixed(0)} %. Run it on a quiet machine.`,
    );
}

/** What is measured of all sides. */
const namesOf = ([first, ...others]: readonly Side[]): string[] =>
  [...(first?.measurements.keys() ?? [])].filter((name) => others.every(({ measurements }) => measurements.has(name)));

const micros = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} µs`;

/** The bars of two builds. @throws Error for a commit that is none, for builds that answer differently, and on a noisy machine. */
export async function* versionBars(commits: readonly (string | undefined)[]): AsyncIterable<Bar> {
  const [first, second] = commits;
  if (first === undefined) throw new Error('Name one or two commits: npm run bench -- versions <commit> [<commit>]');
  const builds = [buildOf(first), buildOf(second)];
  moveTo(LOAD_CORE);
  const expected: Expected = {};
  const sides: Side[] = [];
  for (const build of builds) sides.push(await start(build, expected));
  const floor = await startFloor(expected);
  const floors: number[] = [];
  const figures = new Map<string, number[][]>();
  for (let round = -1; round < ROUNDS; round += 1) {
    console.error(round < 0 ? 'warming up' : `round ${round + 1} of ${ROUNDS}`);
    if (round >= 0) floors.push(await floor.measure());
    for (const name of namesOf(sides)) {
      const pair: number[] = [];
      for (const { measurements } of sides) pair.push((await measurements.get(name)?.()) ?? Number.NaN);
      if (round >= 0) figures.set(name, [...(figures.get(name) ?? []), pair]);
    }
  }
  floor.stop();
  await Promise.all(sides.map((side) => side.stop()));
  const base = median(floors);
  console.log(`bare Fastify sends the page in ${micros(base)}`);
  checkNoise(floors);
  for (const [name, pairs] of figures) yield barOf(name, pairs, builds);
}

function barOf(name: string, pairs: readonly number[][], [a, b]: readonly Build[]): Bar {
  const of = (side: number): number => median(pairs.map((pair) => pair[side] ?? Number.NaN));
  return {
    name: `${name}: ${b?.name} by ${a?.name}`,
    measured: median(pairs.map(([before = Number.NaN, after = Number.NaN]) => after / before)),
    limit: WITHIN,
    holds: 'at most',
    unit: '',
    detail: `${micros(of(1))} against ${micros(of(0))}`,
  };
}
