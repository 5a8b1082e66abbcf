// What the commands of a page cost by themselves: the bare driver sends them and decodes no reply. No server over this store takes less.
import { setTimeout as delay } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import type { BenchStore } from './bench-store.js';
import { startCommandCounter } from './command-counter.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { pageBody } from './graphql-query.js';
import { median } from './report.js';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 4_000;
/** As many pages at once as the other contenders serve. */
const AT_ONCE = 10;
const WARM_UP_PAGES = 30;
const QUIET_MS = 2_000;
/** What a driver adds to each command itself. */
const ADDED = ['lsid', '$db', '$clusterTime', '$readPreference', 'apiVersion', 'apiStrict', 'apiDeprecationErrors'];

/** Processor time of a page's commands, microseconds, medians. */
export interface PageCommandsCost {
  driver: number;
  store: number;
}

/** The commands of a page, as the gateway sends them when nothing is cached, in their order. */
async function commandsOfPage({ uri }: BenchStore): Promise<Document[]> {
  const relay = await startCommandCounter(uri);
  const settings = { RESPONSE_CACHE_MB: '0', ENTITY_CACHE_MB: '0' };
  const gateway = await GatewayProcess.start(scratchFolder(), { mongodbUri: relay.uri, settings });
  const { query, variables } = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  for (let page = 0; page < WARM_UP_PAGES; page += 1) await gateway.query(query, variables);
  // The search index has been filled by then.
  await delay(QUIET_MS);
  const before = relay.count();
  await gateway.query(query, variables);
  const commands = relay.commands().slice(before);
  await gateway.stop();
  relay.stop();
  return commands.map((command) =>
    Object.fromEntries(Object.entries(command).filter(([field]) => !ADDED.includes(field))),
  );
}

/** Sends the commands of a page again and again: the list first, then what its rows name at once, then what the programs name. */
export async function pageCommandsAlone(store: BenchStore): Promise<PageCommandsCost> {
  const [list, ...others] = await commandsOfPage(store);
  const last = others.pop();
  if (list === undefined || last === undefined) throw new Error('the page came without commands');
  const client = await MongoClient.connect(store.uri, { serverApi: { version: '1', strict: true } });
  const send = (command: Document) => client.db().command(command, { raw: true });
  const page = async (): Promise<void> => {
    await send(list);
    await Promise.all(others.map(send));
    await send(last);
  };
  const round = async (ms: number): Promise<PageCommandsCost> => {
    const [driverBefore, storeBefore] = [process.cpuUsage(), store.cpuSeconds?.() ?? Number.NaN];
    const end = performance.now() + ms;
    let pages = 0;
    const lane = async (): Promise<void> => {
      for (; performance.now() < end; pages += 1) await page();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    const { user, system } = process.cpuUsage(driverBefore);
    const stored = ((store.cpuSeconds?.() ?? Number.NaN) - storeBefore) * 1e6;
    return { driver: (user + system) / pages, store: stored / pages };
  };
  await round(WARM_UP_MS);
  const rounds: PageCommandsCost[] = [];
  while (rounds.length < ROUNDS) rounds.push(await round(ROUND_MS));
  await client.close();
  return { driver: median(rounds.map(({ driver }) => driver)), store: median(rounds.map((each) => each.store)) };
}
