// `npm run bench -- hostile`: what a stranger at one address does to everybody else. MINUTES says how long it tries, ATTACKS (parted by
// commas) what; everything by default.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openBenchStore } from '../bench-store.js';
import { commandOn, LOAD_CORE, moveTo, SERVER_CORE } from '../cores.js';
import { GatewayProcess, scratchFolder } from '../gateway-process.js';
import type { Bar } from '../report.js';

const CREDENTIALS = 10_000;
const PROGRAMS = 300;
const QUIET_MS = 20_000;
const PAUSE_MS = 10;
/** Another client than the stranger: all of 127.0.0.0/8 is this machine. */
const OTHER_ADDRESS = '127.0.0.2';

/** What is not set has its default. */
const DEFAULT_LIMITS = { REQUEST_POINTS: '', PARTNER_REQUEST_POINTS: '' };

const CACHED = '/v1/catalog/credentials?limit=20';
let reads = 0;
/** Never asked before, so it is computed. */
const uncached = (): string =>
  `/graphql?query=${encodeURIComponent(`query q${++reads} { credential(credentialId: "credential-${reads % CREDENTIALS}") { name issuer { name } } }`)}`;

interface Figures {
  cached: number[];
  uncached: number[];
  ready: number[];
  memory: number;
}

const agent = new Agent({ keepAlive: true, localAddress: OTHER_ADDRESS, maxSockets: 4 });

/** Milliseconds of one GET. @throws Error when it is not answered with 200. */
function timeOf(url: string): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - from);
        else reject(new Error(`${url} answered ${answer.statusCode}`));
      });
    })
      .once('error', reject)
      .end();
  });
}

/** Reads as another client does, for so long. */
async function measure(gateway: GatewayProcess, forMs: number): Promise<Figures> {
  const figures: Figures = { cached: [], uncached: [], ready: [], memory: 0 };
  const until = performance.now() + forMs;
  const each = async (path: () => string, times: number[], pauseMs: number): Promise<void> => {
    while (performance.now() < until) {
      times.push(await timeOf(gateway.url + path()));
      figures.memory = Math.max(figures.memory, gateway.rssAnon());
      await delay(pauseMs);
    }
  };
  await Promise.all([
    each(() => CACHED, figures.cached, PAUSE_MS),
    each(uncached, figures.uncached, PAUSE_MS),
    each(() => '/health/ready', figures.ready, 250),
  ]);
  return figures;
}

const p99 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

function startAttacker(url: string): ChildProcess {
  const names = (process.env.ATTACKS ?? '').split(',').filter((name) => name !== '');
  const [command, args] = commandOn(LOAD_CORE, ['dist/bench/hostile/attacker.js', url, ...names]);
  const attacker = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  process.once('exit', () => attacker.kill('SIGKILL'));
  return attacker;
}

/** Bars of a stranger's best effort. */
export async function* hostileBars(): AsyncGenerator<Bar> {
  moveTo(LOAD_CORE);
  const store = await openBenchStore(CREDENTIALS, PROGRAMS);
  const gateway = await GatewayProcess.start(scratchFolder(), {
    mongodbUri: store.uri,
    core: SERVER_CORE,
    settings: DEFAULT_LIMITS,
  });
  await measure(gateway, QUIET_MS / 4);
  const quiet = await measure(gateway, QUIET_MS);
  const attacker = startAttacker(gateway.url);
  const attacked = await measure(gateway, Number(process.env.MINUTES ?? 1) * 60_000);
  attacker.kill('SIGTERM');
  await once(attacker, 'exit');
  yield* (['cached', 'uncached'] as const).map(
    (kind): Bar => ({
      name: `p99 of another client's ${kind} reads, during the attack / before`,
      measured: p99(attacked[kind]) / p99(quiet[kind]),
      limit: 2,
      holds: 'at most',
      unit: '',
      detail: `${p99(attacked[kind]).toFixed(1)} ms of ${attacked[kind].length} reads, before ${p99(quiet[kind]).toFixed(1)} ms`,
    }),
  );
  yield {
    name: 'longest readiness',
    measured: Math.max(...attacked.ready),
    limit: 1_000,
    holds: 'at most',
    unit: 'ms',
  };
  yield { name: 'memory of its own', measured: attacked.memory / 2 ** 20, limit: 600, holds: 'at most', unit: 'MB' };
  await gateway.stop();
  await store.stop();
}
