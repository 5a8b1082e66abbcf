// The figures of a side-by-side run: the table for people, bench/results.json for programs.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Round } from './graphql-load.js';
import { type Bar, lineOf, median } from './report.js';
import type { RestCalls } from './rest-calls.js';

/** What a run has found. */
export interface Findings {
  store: string;
  /** Rounds by contender, in the order of measuring. */
  rounds: ReadonlyMap<string, readonly Round[]>;
  /** Database commands of one request, by contender where it is known. */
  commands: ReadonlyMap<string, number>;
  restCalls: RestCalls;
  staleMsP99: number;
  memoryMb?: number;
  pinned: boolean;
  /** The system's load over the last minute of the rounds: two is what the run itself makes. */
  load: number;
}

/** The bars of speed: ours against a peer, at least so many times as many requests a second. */
const RATIOS: readonly [name: string, ours: string, peer: string, limit: number][] = [
  ['dynamic_vs_mercurius_memory', 'ours, warm entities', 'Mercurius + jit', 1],
  ['fragments_vs_mercurius_memory', 'ours, kept fragments', 'Mercurius + jit', 1.5],
  ['dynamic_vs_stock_memory', 'ours, warm entities', 'stock Apollo + type-graphql', 6],
  ['cold_vs_handwritten', 'ours, from the store', 'hand-written, from the store', 0.7],
  ['cached_vs_constant', 'ours, cached answer', 'Fastify, constant page', 0.5],
  ['rest_vs_constant', 'ours, REST detail', 'Fastify, constant detail', 0.4],
  ['first_seen_vs_stock', 'ours, first-seen documents', 'stock, first-seen documents', 1],
];

/** The median over the rounds of ours / peer within a round: what slows the machine slows both. */
function ratioOf(ours: readonly Round[], peer: readonly Round[], of: (round: Round) => number): number {
  return median(ours.map((round, at) => of(round) / of(peer[at] ?? round)));
}

function bars({ rounds, restCalls, staleMsP99, memoryMb }: Findings): Bar[] {
  const ratios = RATIOS.map(([name, ours, peer, limit]): Bar => {
    const [mine, theirs] = [rounds.get(ours) ?? [], rounds.get(peer) ?? []];
    const byCpu = 1 / ratioOf(mine, theirs, ({ cpuMicros }) => cpuMicros);
    const measured = ratioOf(mine, theirs, ({ requestsPerSecond }) => requestsPerSecond);
    return { name, measured, limit, holds: 'at least', unit: '', detail: `${byCpu.toFixed(2)} by processor time` };
  });
  const { calls, queryMs, restMs } = restCalls;
  const shown = `${queryMs.toFixed(2)} ms against ${restMs.toFixed(1)} ms for ${calls} calls`;
  return [
    ...ratios,
    {
      name: 'one_query_vs_rest_calls',
      measured: restMs / queryMs,
      limit: 8,
      holds: 'at least',
      unit: '',
      detail: shown,
    },
    { name: 'stale_ms_p99', measured: staleMsP99, limit: 200, holds: 'at most', unit: 'ms' },
    ...(memoryMb === undefined ? [] : [memoryBar(memoryMb)]),
  ];
}

/** One gateway's own memory over 100,000 credentials. */
export function memoryBar(measured: number): Bar {
  return { name: 'memory_mb_100k', measured, limit: 400, holds: 'at most', unit: 'MB' };
}

const FIGURES = ['requestsPerSecond', 'cpuMicros', 'busy', 'p50', 'p99'] as const satisfies (keyof Round)[];

/** The middle of each figure over the rounds. */
function middle(rounds: readonly Round[]): Round {
  return Object.fromEntries(
    FIGURES.map((figure) => [figure, median(rounds.map((round) => round[figure]))]),
  ) as unknown as Round;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

function tableLine(name: string, round: Round, commands: number | undefined): string {
  const { requestsPerSecond, cpuMicros, busy, p50, p99 } = round;
  const cells = [
    requestsPerSecond.toFixed(0).padStart(8),
    `${cpuMicros.toFixed(0)} µs`.padStart(9),
    `${(busy * 100).toFixed(0)} %`.padStart(6),
    `${p50} / ${p99} ms`.padStart(14),
    String(commands ?? '').padStart(9),
  ];
  return `${name.padEnd(30)}${cells.join('')}`;
}

const machineOf = () => ({ cores: cpus().length, model: cpus()[0]?.model.trim() ?? 'unknown' });

/** Prints the table and the bars. */
export function printResults(findings: Findings): void {
  const { rounds, commands, store, pinned, load } = findings;
  const machine = machineOf();
  console.log(
    `\n${machine.cores} cores, ${machine.model}; ${store}; load ${load.toFixed(1)}${pinned ? '' : '; not pinned'}\n`,
  );
  console.log(
    `${''.padEnd(30)}${'req/s'.padStart(8)}${'cpu'.padStart(9)}${'busy'.padStart(6)}${'p50 / p99'.padStart(14)}${'commands'.padStart(9)}`,
  );
  for (const [name, all] of rounds) console.log(tableLine(name, middle(all), commands.get(name)));
  console.log('');
  for (const bar of bars(findings)) console.log(lineOf(bar));
}

/** Writes bench/results.json; what was not measured is not in it. */
export function writeResults(findings: Findings): void {
  const { rounds, commands, store, pinned } = findings;
  const known = bars(findings);
  const contenders = [...rounds].map(([name, all]) => {
    const { requestsPerSecond, cpuMicros, busy, p50, p99 } = middle(all);
    const figures = { requestsPerSecond, cpuMicros, busy, p50, p99 };
    const shown = Object.fromEntries(Object.entries(figures).map(([figure, value]) => [figure, rounded(value)]));
    return [name, { ...shown, databaseCommands: commands.get(name) ?? null }] as const;
  });
  const results = {
    machine: machineOf(),
    store,
    pinned,
    load: rounded(findings.load),
    ratios: Object.fromEntries(known.map(({ name, measured }) => [name, rounded(measured)])),
    bars: Object.fromEntries(known.map(({ name, limit, holds }) => [name, `${holds} ${limit}`])),
    contenders: Object.fromEntries(contenders),
    restCalls: findings.restCalls,
  };
  writeFileSync('bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
}
