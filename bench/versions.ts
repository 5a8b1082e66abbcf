// `npm run bench -- versions <commit> [<commit>]`: the builds of two commits side by side, by processor time; the second is the work tree
// where it is not given. Each gateway has its embedded store, as `npm start` starts it, and the same catalog in it. The speed of a
// machine varies within seconds, so both builds take short turns, and what counts is the ratio within each pair of turns.
import { setTimeout as delay } from 'node:timers/promises';
import { credentialLines, foundation, programLines } from './catalog-data.js';
import { LOAD_CORE, moveTo, SERVER_CORE } from './cores.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { cpuSeconds } from './processor-time.js';
import { type Bar, median, quantile, TooNoisy } from './report.js';
import { type Build, buildOf, type Caches, optionsOf } from './version-builds.js';
import { type Expected, expectedOf, type Measured, ROWS, type Row, type Side, startFloor } from './version-rows.js';

const CREDENTIALS = 1_000;
/** A row has this many rounds, or fewer once its figure is certain. */
const ROUNDS = Number(process.env.ROUNDS ?? 60);
const FEWEST_ROUNDS = Math.min(3, ROUNDS);
/** Pairs of turns in a round of a row. */
const PAIRS = 4;
const IDLE_SECONDS = 5;
/** How uncertain the median of a row's ratios may be. Above it, a row has a figure only if that is certainly within or beyond its bar. */
const NOISE = 0.05;
/** A row whose median is certain to this share needs no more rounds. */
const CERTAIN = 0.03;
/** The row that shows the noise: one build, measured as two. Where it is too noisy, no row has a figure. */
const FLOOR = 'bare Fastify sends the page';
/** What two runs of one build may differ by. */
const WITHIN = 1.03;

/** The rows whose names have one of the words in `ROWS`, which are separated by commas; all when it is not set. */
function chosenRows(builds: readonly Build[]): Row[] {
  const words = process.env.ROWS?.split(',') ?? [''];
  const rows = ROWS.filter(({ name }) => words.some((word) => name.includes(word)));
  if (rows.length === 0) throw new Error(`ROWS names none of: ${ROWS.map(({ name }) => name).join(', ')}`);
  return rows.filter(({ needs = () => true }) => builds.every(needs));
}

async function startGateway(build: Build, caches: Caches): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(scratchFolder(), { ...optionsOf(build, caches), core: SERVER_CORE });
  await gateway.import(foundation(CREDENTIALS));
  await gateway.import(credentialLines(CREDENTIALS));
  await gateway.import(programLines(CREDENTIALS, CREDENTIALS));
  return gateway;
}

/** A gateway of each build for each way of caching that the rows need. */
async function startSides(builds: readonly Build[], rows: readonly Row[]): Promise<ReadonlyMap<Caches, Side[]>> {
  let expected: Expected | undefined;
  const sides = new Map<Caches, Side[]>();
  for (const caches of new Set(rows.map((row) => row.caches))) {
    sides.set(caches, []);
    for (const build of builds) {
      const gateway = await startGateway(build, caches);
      expected ??= await expectedOf(gateway);
      sides.get(caches)?.push({ build, gateway, idle: { server: 0, store: 0 }, expected });
    }
  }
  return sides;
}

/** Notes what the gateways use when nobody asks. */
async function measureIdle(sides: readonly Side[]): Promise<void> {
  const before = sides.map(({ gateway }) => cpuSeconds(gateway.pid));
  await delay(IDLE_SECONDS * 1_000);
  sides.forEach(({ gateway, idle }, at) => {
    idle.server = (cpuSeconds(gateway.pid) - (before[at] ?? 0)) / IDLE_SECONDS;
  });
}

type Pair = readonly [number, number];

/** Pairs of turns; who is first alternates, as the second finds the machine warmer. */
async function pairsOf([one, other]: readonly [Measured, Measured]): Promise<Pair[]> {
  const both = one === other ? [one] : [one, other];
  for (const each of both) await each.begin?.();
  const pairs: Pair[] = [];
  for (let at = 0; at < PAIRS; at += 1) {
    const [first, second] = at % 2 === 0 ? [one, other] : [other, one];
    const [earlier, later] = [await first.turn(), await second.turn()];
    pairs.push(at % 2 === 0 ? [earlier, later] : [later, earlier]);
  }
  for (const each of both) each.end?.();
  return pairs;
}

interface Figure {
  /** Microseconds, of each build. */
  micros: Pair;
  /** The second build by the first: the median of the pairs, and their quartiles. */
  ratio: number;
  quartiles: Pair;
  /** Half of the interval that has the median in 95 of 100 runs, as a share of it: the notch of a box plot (McGill, Tukey, Larsen 1978). */
  uncertainty: number;
}

function figureOf(pairs: readonly Pair[]): Figure {
  const ratios = pairs.map(([before, after]) => after / before);
  const [low, ratio, high] = [quantile(ratios, 0.25), median(ratios), quantile(ratios, 0.75)];
  const of = (side: 0 | 1): number => median(pairs.map((pair) => pair[side]));
  const uncertainty = (1.57 * (high - low)) / Math.sqrt(pairs.length) / ratio;
  return { micros: [of(0), of(1)], ratio, quartiles: [low, high], uncertainty };
}

/** Whether the ratio is within or beyond its bar by more than twice its uncertainty. */
const isDecided = ({ ratio, uncertainty }: Figure): boolean =>
  ratio * (1 + 2 * uncertainty) <= WITHIN || ratio * (1 - 2 * uncertainty) > WITHIN;

/** The floor has no bar: it is the noise itself. */
function isCertain(name: string, pairs: readonly Pair[]): boolean {
  const figure = figureOf(pairs);
  return figure.uncertainty <= CERTAIN || (name !== FLOOR && isDecided(figure));
}

const micros = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} µs`;
const shownNoise = ({ uncertainty, quartiles: [low, high] }: Figure): string =>
  `±${(uncertainty * 100).toFixed(1)} %, half of the pairs between ${low.toFixed(2)} and ${high.toFixed(2)}`;

function barOf(name: string, figure: Figure, [a, b]: readonly [Build, Build]): Bar {
  return {
    name: `${name}: ${b.name} by ${a.name}`,
    measured: figure.ratio,
    limit: WITHIN,
    holds: 'at most',
    unit: '',
    detail: `${micros(figure.micros[1])} against ${micros(figure.micros[0])}; ${shownNoise(figure)}`,
  };
}

/** Prepares each row for both builds, and measures rounds until the figures are certain. */
async function allPairs(rows: readonly Row[], sides: ReadonlyMap<Caches, Side[]>): Promise<Map<string, Pair[]>> {
  const [expected] = [...sides.values()].flat().map((side) => side.expected);
  if (expected === undefined) throw new Error('there is no row');
  const floor = await startFloor(expected);
  const measured = new Map<string, readonly [Measured, Measured]>([[FLOOR, [floor, floor]]]);
  for (const row of rows) {
    const [one, other] = sides.get(row.caches) ?? [];
    if (one && other) measured.set(row.name, [await row.prepare(one), await row.prepare(other)]);
  }
  await measureIdle([...sides.values()].flat());
  const pairs = new Map<string, Pair[]>([...measured.keys()].map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    const unsure = [...measured].filter(([name]) => round < FEWEST_ROUNDS || !isCertain(name, pairs.get(name) ?? []));
    if (unsure.length === 0) break;
    console.error(round < 0 ? 'warming up' : `round ${round + 1} of ${ROUNDS} at most: ${unsure.length} rows`);
    for (const [name, both] of unsure) {
      const turns = await pairsOf(both);
      if (round < 0) continue;
      pairs.get(name)?.push(...turns);
      const { ratio, uncertainty } = figureOf(pairs.get(name) ?? []);
      console.error(`  ${name}: ${ratio.toFixed(2)} ±${(uncertainty * 100).toFixed(1)} %`);
    }
  }
  floor.stop();
  return pairs;
}

/** The bars of two builds. @throws Error for a commit that is none, for builds that answer differently, and on a noisy machine. */
export async function* versionBars(commits: readonly (string | undefined)[]): AsyncIterable<Bar> {
  const [first, second] = commits;
  if (first === undefined) throw new Error('Name one or two commits: npm run bench -- versions <commit> [<commit>]');
  const builds = [buildOf(first), buildOf(second)] as const;
  moveTo(LOAD_CORE);
  const rows = chosenRows(builds);
  const sides = await startSides(builds, rows);
  const pairs = await allPairs(rows, sides);
  await Promise.all([...sides.values()].flat().map(({ gateway }) => gateway.stop()));
  const figures = new Map([...pairs].map(([name, all]) => [name, figureOf(all)]));
  const isNoisy = (name: string, figure: Figure): boolean =>
    figure.uncertainty > NOISE && (name === FLOOR || !isDecided(figure));
  const noisy = [...figures].filter(([name, figure]) => isNoisy(name, figure)).map(([name]) => name);
  for (const [name, figure] of figures) {
    if (name === FLOOR) console.log(`${FLOOR} in ${micros(figure.micros[0])}: ${shownNoise(figure)} by itself`);
    else if (!noisy.includes(name) && !noisy.includes(FLOOR)) yield barOf(name, figure, builds);
    else console.log(`no figure: ${name}: ${shownNoise(figure)}`);
  }
  if (noisy.length > 0)
    throw new TooNoisy(
      `The machine is too noisy for: ${noisy.join(', ')}. Run it on a quiet machine, or with more ROUNDS.`,
    );
}
