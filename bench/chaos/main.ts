// `npm run chaos -- [runs] [--rounds N] [--lanes N]`: partners issue and operators write and revoke all the time while processes are killed,
// paused and started again; at the end, or after the first Ctrl-C, everything that was acknowledged must be there once, whole, in its place,
// counted, told to every listener in one order, and shown by every gateway.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { disagreements } from './agreement.js';
import { audit, type Findings, isSound } from './audit.js';
import { Changes } from './changes.js';
import { Listener, Load, prepare } from './load.js';
import { enginePart, gatewayPart, type Part } from './parts.js';

/** What a run consists of, and what happens to it in a round. */
interface Run {
  rounds: number;
  setUp(folder: string): Promise<Cast>;
}

interface Cast {
  /** In the order in which they are started. */
  parts: readonly Part[];
  urls: readonly string[];
  /** The store's address once everything else has ended. */
  storeUri(): Promise<string>;
  round(): Promise<void>;
}

const MAX_PAUSE_MS = 8_000;
const SETTLE_LIMIT_MS = 120_000;
const pick = (below: number): number => Math.floor(Math.random() * below);

async function restart(part: Part): Promise<void> {
  await part.kill();
  await delay(pick(1_000));
  await part.start();
}

/** Two gateways and an engine, any of which is killed and started again. */
const gateways: Run = {
  rounds: 10,
  async setUp(folder) {
    const engine = await enginePart(join(folder, 'engine'));
    await engine.part.start();
    execFileSync(process.execPath, ['dist/cli/main.js', 'migrate'], {
      env: { PATH: process.env.PATH, MONGODB_URI: engine.uri, DATA_DIR: folder },
    });
    const made = await Promise.all([1, 2].map((at) => gatewayOver(engine.uri, folder, at)));
    const parts = [engine.part, ...made.map(({ part }) => part)];
    return {
      parts,
      urls: made.map(({ url }) => url),
      storeUri: async () => engine.uri,
      round: () => restart(parts[pick(parts.length)] as Part),
    };
  },
};

/** The same, but stopped for some seconds instead. */
const pauses: Run = {
  rounds: 12,
  async setUp(folder) {
    const cast = await gateways.setUp(folder);
    return { ...cast, round: () => (cast.parts[pick(cast.parts.length)] as Part).pause(1_000 + pick(MAX_PAUSE_MS)) };
  },
};

/** One process with the store inside. */
const one: Run = {
  rounds: 60,
  async setUp(folder) {
    const dataDir = join(folder, 'data');
    const { part, url } = await gatewayPart('gateway', { dataDir });
    return { parts: [part], urls: [url], storeUri: () => engineOver(dataDir), round: () => restart(part) };
  },
};

/** Two workers with their primary and its engine: each of them is killed. */
const workers: Run = {
  rounds: 12,
  async setUp(folder) {
    const dataDir = join(folder, 'data');
    const { part, url } = await gatewayPart('primary', { dataDir, workers: 2 });
    const round = async (): Promise<void> => {
      if (pick(4) === 0 || !part.isRunning || !part.killChild(pick)) await restart(part);
      else await delay(2_000);
      // As whatever supervises it would.
      if (!part.isRunning) await part.start();
    };
    return { parts: [part], urls: [url], storeUri: () => engineOver(dataDir), round };
  },
};

const RUNS: Readonly<Record<string, Run>> = { gateways, one, workers, pauses };

function gatewayOver(uri: string, folder: string, at: number) {
  return gatewayPart(`gateway ${at}`, { dataDir: join(folder, `gateway-${at}`), uri });
}

async function engineOver(dataDir: string): Promise<string> {
  const { part, uri } = await enginePart(dataDir);
  await part.start();
  return uri;
}

interface Length {
  rounds: number;
  lanes: number;
  /** Ends the run after the round that it is in. */
  interrupted: AbortSignal;
}

async function perform(name: string, { setUp }: Run, { rounds, lanes, interrupted }: Length): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
  const { parts, urls, round, storeUri } = await setUp(folder);
  try {
    for (const part of parts) if (!part.isRunning) await part.start();
    const load = new Load(await prepare(urls[0] ?? ''), urls);
    const listeners = urls.map((url) => new Listener(url));
    await Promise.all(listeners.map((listener) => listener.begun));
    load.start(lanes);
    const changes = new Changes(load, urls);
    changes.start();
    for (let at = 1; at <= rounds && !interrupted.aborted; at += 1) {
      await load.moreThan(load.acknowledged.size);
      await delay(pick(1_000));
      await round();
      console.error(`${name}: round ${at} of ${rounds}, ${load.acknowledged.size} acknowledged`);
    }
    await Promise.all([load.stop(), changes.stop()]);
    await settled(listeners, load, changes);
    const disagreeing = await disagreements(urls, [...load.acknowledged.values()].reverse());
    for (const path of disagreeing) console.log(`gateways disagree: ${path}`);
    await Promise.all(listeners.map((listener) => listener.stop()));
    const [store, ...others] = parts;
    // What holds the store inside ends too: it is then looked at by an engine of its own.
    for (const part of store?.name === 'engine' ? others : parts) await part.kill();
    return await audit(await storeUri(), { load, changes, listeners, disagreeing });
  } finally {
    for (const part of parts) await part.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until every listener has been told of all, and all is counted; what is not by then is found by the audit. */
async function settled(listeners: readonly Listener[], load: Load, { revoked }: Changes): Promise<void> {
  const until = performance.now() + SETTLE_LIMIT_MS;
  const isTold = () => listeners.every(({ told }) => told.length >= load.acknowledged.size + revoked.size);
  while (performance.now() < until && !(isTold() && (await load.isCounted()))) await delay(200);
}

async function main(): Promise<void> {
  const end = new AbortController();
  process
    .once('SIGTERM', () => process.exit(1))
    .on('SIGINT', () => (end.signal.aborted ? process.exit(1) : end.abort()));
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, lanes: { type: 'string', default: '4' } },
  });
  let sound = true;
  for (const name of positionals.length > 0 ? positionals : Object.keys(RUNS)) {
    const run = RUNS[name];
    if (run === undefined) throw new Error(`There is no run ${name}; there are ${Object.keys(RUNS).join(', ')}.`);
    const rounds = Number(values.rounds ?? run.rounds);
    const findings = await perform(name, run, { rounds, lanes: Number(values.lanes), interrupted: end.signal });
    console.log(`${name} ${isSound(findings) ? 'sound' : 'BROKEN'} ${JSON.stringify(findings)}`);
    sound &&= isSound(findings);
  }
  process.exit(sound ? 0 : 1);
}

await main();
