// The rows of `npm run bench -- versions`: what is measured of a build, in short turns that alternate with those of the other build.
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayProcess } from './gateway-process.js';
import { type Contender, measure } from './graphql-load.js';
import { type PageData, pageBody } from './graphql-query.js';
import { holders, issue, many, prepareIssuing } from './issuance.js';
import { startPeer } from './peer-process.js';
import { cpuSecondsWithChildren } from './processor-time.js';
import { RawSubscriber } from './raw-subscriber.js';
import type { Build, Caches } from './version-builds.js';

/** Short: both builds of a pair should meet the same moment of the machine. */
const TURN_SECONDS = 0.5;
const TURN_ISSUANCES = 50;
const TURN_EVENTS = 5;
/** Issuances before the first that counts: V8 compiles their code meanwhile. */
const WARM_UP_ISSUANCES = 800;
const LISTENERS = 1_000;
const POLL_MS = 10;
/** Until the subscriptions of all sockets have begun. */
const SETTLE_MS = 2_000;
/** Until an event has reached all listeners. */
const LIMIT_MS = 60_000;

/** One row of one build. */
export interface Measured {
  /** Before the turns of a round. */
  begin?(): Promise<void>;
  /** Some requests, issuances or events. @returns microseconds of processor time of each */
  turn(): Promise<number>;
  /** After the turns of a round. */
  end?(): void;
}

/** What all builds must answer, as the first one does. */
export interface Expected {
  page: unknown;
  detail: { path: string; data: unknown };
}

/** A gateway of a build. */
export interface Side {
  build: Build;
  gateway: GatewayProcess;
  /** Processor seconds a second that it uses when nobody asks. */
  idle: { server: number; store: number };
  expected: Expected;
}

export interface Row {
  name: string;
  /** What its gateway caches. */
  caches: Caches;
  /** Builds that it is measured of; all when not given. */
  needs?(build: Build): boolean;
  prepare(side: Side): Measured | Promise<Measured>;
}

function documents(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return pageBody(`Page${count}`);
  };
}

/** @param more members of the contender that differ from those of the page */
function asking({ build, gateway, idle, expected }: Side, more: Partial<Contender> = {}): Measured {
  const { url, pid } = gateway;
  const page = { method: 'POST', path: '/graphql', body: pageBody(), expected: expected.page } as const;
  const contender: Contender = { name: build.name, url, pid, idle, ...page, ...more };
  return { turn: async () => (await measure(contender, TURN_SECONDS)).cpuMicros };
}

function askingForDetail(side: Side): Measured {
  const { path, data } = side.expected.detail;
  const shaped = (answered: unknown): unknown => membersOf(data, answered);
  return asking(side, { method: 'GET', path, body: undefined, expected: membersOf(data, data), shaped });
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

/** What a gateway answers to the page and to the detail of its first credential. */
export async function expectedOf(gateway: GatewayProcess): Promise<Expected> {
  const { query, variables } = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  const page = (await gateway.query(query, variables)) as PageData;
  const path = `/v1/catalog/credentials/${page.credentials.nodes[0]?.credentialId}`;
  const { data } = (await gateway.get(path)) as { data: object };
  return { page, detail: { path, data } };
}

/** Issuances of a partner, each of a turn to another holder. @param more members of the credentials. */
async function issuing({ gateway }: Side, more: object = {}): Promise<Measured> {
  const setting = await prepareIssuing(gateway, more);
  const people = await holders(setting, TURN_ISSUANCES);
  let turns = 0;
  const issueAll = async (): Promise<void> => {
    const credential = turns++;
    await many(TURN_ISSUANCES, (at) => issue(setting, people[at]?.userId ?? '', credential));
  };
  for (let issued = 0; issued < WARM_UP_ISSUANCES; issued += TURN_ISSUANCES) await issueAll();
  return {
    turn: async () => {
      const before = cpuSecondsWithChildren(gateway.pid);
      await issueAll();
      return ((cpuSecondsWithChildren(gateway.pid) - before) / TURN_ISSUANCES) * 1e6;
    },
  };
}

const QUERY = 'subscription { catalogChanged(kinds: ["verifiers"]) { id type changes { entryId } } }';

/** Entries that an operator adds, each sent to all listeners, who each have a socket. */
function listening({ gateway }: Side): Measured {
  const port = Number(new URL(gateway.url).port);
  const listeners: RawSubscriber[] = [];
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
  return {
    begin: async () => {
      while (listeners.length < LISTENERS)
        listeners.push(...(await Promise.all(Array.from({ length: LISTENERS / 10 }, listen))));
      await delay(SETTLE_MS);
      await publish();
    },
    turn: async () => {
      const before = cpuSecondsWithChildren(gateway.pid);
      for (let event = 0; event < TURN_EVENTS; event += 1) await publish();
      return ((cpuSecondsWithChildren(gateway.pid) - before) / (TURN_EVENTS * LISTENERS)) * 1e6;
    },
    end: () => {
      for (const listener of listeners.splice(0)) listener.end();
    },
  };
}

/** What is measured, in this order. */
export const ROWS: readonly Row[] = [
  { name: 'a cached page', caches: 'responses', prepare: (side) => asking(side) },
  { name: 'a page of row texts', caches: 'row texts', prepare: (side) => asking(side) },
  { name: 'a warm page', caches: 'rows', prepare: (side) => asking(side) },
  {
    name: 'a page by a document seen first',
    caches: 'responses',
    prepare: (side) => asking(side, { body: documents() }),
  },
  { name: 'a REST detail', caches: 'responses', prepare: askingForDetail },
  {
    name: 'an issuance',
    caches: 'responses',
    prepare: (side) => issuing(side, side.build.hasProofs ? { provable: false } : {}),
  },
  {
    name: 'an issuance with a signature for proofs',
    caches: 'row texts',
    needs: ({ hasProofs }) => hasProofs,
    prepare: (side) => issuing(side),
  },
  { name: `an event to one of ${LISTENERS} listeners`, caches: 'responses', prepare: listening },
];

/** The page from bare Fastify: what the machine itself varies by is seen when it is compared with itself. */
export async function startFloor({ page }: Expected): Promise<Measured & { stop(): void }> {
  const text = JSON.stringify({ data: page });
  const { url, pid, stop } = await startPeer('constant', ['-', text, text]);
  const floor: Contender = {
    name: 'bare Fastify',
    url,
    pid,
    method: 'POST',
    path: '/page',
    body: pageBody(),
    expected: page,
  };
  return { turn: async () => (await measure(floor, TURN_SECONDS)).cpuMicros, stop };
}
