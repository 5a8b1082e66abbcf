// `npm run bench -- peers`: our gateway and what people would pick instead, by processor time a page, server and database apart and in sum.
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openBenchStore } from './bench-store.js';
import { LOAD_CORE, moveTo } from './cores.js';
import { type Contender, measure, type Round } from './graphql-load.js';
import { NAMES, type PeerContenders, POSTGRAPHILE, startPeerContenders } from './peers-contenders.js';
import { pageCommandsAlone } from './page-commands.js';
import { cpuSeconds } from './processor-time.js';
import { type Bar, median } from './report.js';

const CREDENTIALS = 1_000;
/** As many: each credential is then accepted by about three, and the page's lists are full. */
const PROGRAMS = 1_000;
const ROUNDS = 5;
const ROUND_SECONDS = 4;
const WARM_UP_SECONDS = 6;
const IDLE_SECONDS = 10;

type Rounds = ReadonlyMap<string, readonly Round[]>;

const alone = ({ cpuMicros }: Round): number => cpuMicros;
const store = ({ storeMicros }: Round): number => storeMicros ?? Number.NaN;
const together = (round: Round): number => alone(round) + store(round);

/** What everybody uses while nobody asks: gateways follow changes and renew leases, and their store works for it. */
async function withIdle(all: readonly Contender[]): Promise<Contender[]> {
  const used = ({ pid, storeSeconds }: Contender) => ({ server: cpuSeconds(pid), store: storeSeconds?.() ?? 0 });
  const before = all.map(used);
  await delay(IDLE_SECONDS * 1_000);
  return all.map((contender, at) => {
    const { server, store } = used(contender);
    const rate = (now: number, then = now) => (now - then) / IDLE_SECONDS;
    return { ...contender, idle: { server: rate(server, before[at]?.server), store: rate(store, before[at]?.store) } };
  });
}

/** Rounds of every contender, in turns: what slows the machine slows all alike. @throws Error for a wrong answer. */
async function allRounds(contenders: PeerContenders): Promise<Rounds> {
  for (const contender of contenders.all) await measure(contender, WARM_UP_SECONDS);
  const all = await withIdle(contenders.all);
  const rounds = new Map<string, Round[]>(all.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.error(`round ${round} of ${ROUNDS}`);
    for (const contender of all) rounds.get(contender.name)?.push(await measure(contender, ROUND_SECONDS));
  }
  return rounds;
}

const milliseconds = (micros: number): string => `${(micros / 1_000).toFixed(2)} ms`.padStart(11);

const lineOfFigures = (name: string, server = 0, database = 0, sum = server + database): string =>
  `${name.padEnd(30)}${[server, database, sum].map(milliseconds).join('')}`;

function table(rounds: Rounds): string {
  const lines = [...rounds].map(([name, all]) => {
    const [server, database, sum] = [alone, store, together].map((of) => median(all.map(of)));
    return lineOfFigures(name, server, database, sum);
  });
  const head = `${''.padEnd(30)}${'server'.padStart(11)}${'database'.padStart(11)}${'in sum'.padStart(11)}`;
  return [head, ...lines].join('\n');
}

/** The median over the rounds of one's figure by another's within a round. */
function ratio(rounds: Rounds, name: string, by: string, of: (round: Round) => number): number {
  const others = rounds.get(by) ?? [];
  return median((rounds.get(name) ?? []).map((round, at) => of(round) / of(others[at] ?? round)));
}

function barsOf(rounds: Rounds): Bar[] {
  if (!rounds.has(POSTGRAPHILE)) return [];
  const { dynamic, cold } = NAMES;
  return [
    {
      name: 'PostGraphile to ours, warm (server alone)',
      measured: ratio(rounds, POSTGRAPHILE, dynamic, alone),
      limit: 6,
      holds: 'at least',
      unit: '',
    },
    {
      name: 'ours from the store to PostGraphile (server and database)',
      measured: ratio(rounds, cold, POSTGRAPHILE, together),
      limit: 1.5,
      holds: 'at most',
      unit: '',
    },
  ];
}

/** Measures everybody, prints the table, and gives the bars. @throws Error for a wrong answer; never for a time. */
export async function* peerBars(): AsyncIterable<Bar> {
  moveTo(LOAD_CORE);
  const benchStore = await openBenchStore(CREDENTIALS, PROGRAMS);
  const contenders = await startPeerContenders(benchStore);
  const rounds = await allRounds(contenders);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  await contenders.stop();
  const bare = await pageCommandsAlone(benchStore);
  await benchStore.stop();
  console.log(`\n${benchStore.kind}; ${contenders.postgres ?? 'no PostgreSQL'}; load ${load}`);
  console.log('processor time of a page of 20 credentials with four relations, medians\n');
  console.log(table(rounds));
  console.log(`${lineOfFigures('commands alone, bare driver', bare.driver, bare.store)}\n`);
  yield* barsOf(rounds);
}
