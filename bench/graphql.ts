// The side-by-side run (`npm run bench`): one store, one page, our gateway and its peers in turns, every answer compared before it counts.
import { loadavg } from 'node:os';
import { type BenchStore, openBenchStore } from './bench-store.js';
import { startCommandCounter } from './command-counter.js';
import { canPin, LOAD_CORE, moveTo } from './cores.js';
import { gatewayMemory } from './gateway-memory.js';
import { type Contenders, MODES, type Mode, startContenders, startGateway } from './graphql-contenders.js';
import { measure, type Round } from './graphql-load.js';
import { pageBody } from './graphql-query.js';
import { type Findings, memoryBar, printResults, writeResults } from './graphql-results.js';
import { lineOf } from './report.js';
import { compareWithRest } from './rest-calls.js';
import { stalenessOf } from './staleness.js';

const CREDENTIALS = 1_000;
/** As many: each credential is then accepted by about three, and the page's lists are full. */
const PROGRAMS = 1_000;
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 3;
/** Requests over which database commands are counted, after as many that warm up. */
const COUNTED = 20;

const say = (what: string): void => console.error(what);

/** Rounds of every contender, in turns: what slows the machine slows all alike. @throws Error for a wrong answer. */
async function allRounds({ all }: Contenders): Promise<Map<string, Round[]>> {
  const rounds = new Map<string, Round[]>(all.map(({ name }) => [name, []]));
  for (const contender of all) await measure(contender, WARM_UP_SECONDS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}`);
    for (const contender of all) rounds.get(contender.name)?.push(await measure(contender, ROUND_SECONDS));
  }
  return rounds;
}

/** Database commands of one page in a mode of our gateway, counted on the way to the store. */
async function commandsOf(store: BenchStore, mode: Mode): Promise<number> {
  const counter = await startCommandCounter(store.uri);
  const gateway = await startGateway({ ...store, uri: counter.uri }, MODES[mode]);
  const body = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  const ask = async (): Promise<void> => {
    for (let request = 0; request < COUNTED; request += 1) await gateway.query(body.query, body.variables);
  };
  await ask();
  const before = counter.count();
  await ask();
  const counted = counter.count() - before;
  await gateway.stop();
  counter.stop();
  return counted / COUNTED;
}

/** @throws Error when the gateway answers from memory where it is to be measured without: the figure would be another one's. */
async function commandsByContender(store: BenchStore): Promise<Map<string, number>> {
  const cold = await commandsOf(store, 'cold');
  if (cold < HANDWRITTEN_COMMANDS) throw new Error(`the gateway asked its store ${cold} times for a page`);
  return new Map([
    ['ours, warm entities', await commandsOf(store, 'dynamic')],
    ['ours, kept fragments', await commandsOf(store, 'fragments')],
    ['ours, from the store', cold],
    ['ours, cached answer', await commandsOf(store, 'cached')],
    ['hand-written, from the store', HANDWRITTEN_COMMANDS],
  ]);
}

/** bench/peers/handwritten.ts: the page, its issuers, its schemas, its programs, their verifiers. */
const HANDWRITTEN_COMMANDS = 5;

/** Measures everything, prints the table, writes bench/results.json. @throws Error for a wrong answer; never for a time. */
export async function sideBySide(): Promise<void> {
  moveTo(LOAD_CORE);
  say(`a catalog of ${CREDENTIALS} credentials`);
  const store = await openBenchStore(CREDENTIALS, PROGRAMS);
  const commands = await commandsByContender(store);
  const contenders = await startContenders(store);
  const rounds = await allRounds(contenders);
  const load = loadavg()[0] ?? 0;
  say('one query against REST calls');
  const restCalls = await compareWithRest(contenders.gateways.cached.url, contenders.page);
  await contenders.stop();
  say('old values after writes');
  const gateways = [await startGateway(store, MODES.cached), await startGateway(store, MODES.cached)] as const;
  const staleMsP99 = await stalenessOf(...gateways);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await store.stop();
  const findings: Findings = { store: store.kind, rounds, commands, restCalls, staleMsP99, pinned: canPin(), load };
  printResults(findings);
  writeResults(findings);
  say('memory over 100,000 credentials');
  const memoryMb = await gatewayMemory();
  console.log(lineOf(memoryBar(memoryMb)));
  writeResults({ ...findings, memoryMb });
}
