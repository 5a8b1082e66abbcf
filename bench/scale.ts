// `npm run bench -- scale`: 1,000,000 credentials imported by the CLI into the embedded store, and what a gateway over them is like beside
// one over 10,000. CREDENTIALS in the environment measures another size; SCALE_FOLDER keeps the stores there, and uses those it finds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { credentialLines, foundation, programLines } from './catalog-data.js';
import { fillCaches } from './gateway-memory.js';
import { GatewayProcess, KEYSTORE_KEY, scratchFolder } from './gateway-process.js';
import { pageBody } from './graphql-query.js';
import { type Bar, median, timed } from './report.js';

const FEW = 10_000;
const MANY = Number(process.env.CREDENTIALS ?? 1_000_000);
const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 500;
const ROUNDS = 200;
const WARM_UP = 50;
const SEARCHES = 200;
/** How long the search may take to read the catalog after a start. */
const INDEXING_MS = 300_000;
const FROM_STORE = { RESPONSE_CACHE_MB: '0', ENTITY_CACHE_MB: '0' };
const WORDS = ['oak', 'willow certificate', 'pine institute', 'yew', 'rowan record', 'maple check', 'birch alder'];
const SEARCH = `query Search($query: String!) {
  search(query: $query) { totalResults credentials { items { credential { credentialId name } } } }
}`;

interface Import {
  seconds: number;
  /** The most memory of its own that the CLI held, the engine in it, MB (proc(5), RssAnon). */
  peakMb: number;
}

function* lines(credentials: number): Generator<string> {
  for (const part of [foundation(credentials), credentialLines(credentials), programLines(credentials)])
    for (const line of part) yield `${JSON.stringify(line)}\n`;
}

function rssAnonMb(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Imports a catalog into the embedded store of a folder. @throws Error when the CLI fails. */
async function importByCli(dataDir: string, credentials: number): Promise<Import> {
  const file = join(scratchFolder(), 'catalog.ndjson');
  await pipeline(Readable.from(lines(credentials)), createWriteStream(file));
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, KEYSTORE_KEY, SAMPLE_CATALOG: 'false' };
  const cli = spawn(process.execPath, ['dist/cli/main.js', 'import', file, '--json'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => cli.kill('SIGKILL'));
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, rssAnonMb(cli.pid ?? 0));
  }, SAMPLE_MS);
  let code: unknown;
  const ms = await timed(async () => {
    [code] = await once(cli, 'exit');
  });
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import ended with exit code ${code}`);
  return { seconds: ms / 1_000, peakMb };
}

/** Medians of a page on both, asked in turns so that both see the same machine. */
async function pageTimes(few: GatewayProcess, many: GatewayProcess): Promise<[number, number]> {
  const { query, variables } = JSON.parse(pageBody()) as { query: string; variables: Record<string, unknown> };
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const [at, gateway] of [few, many].entries()) {
      const ms = await timed(() => gateway.query(query, variables));
      if (round >= 0) times[at]?.push(ms);
    }
  return [median(times[0]), median(times[1])];
}

const search = (gateway: GatewayProcess, query: string): Promise<unknown> => gateway.query(SEARCH, { query });

/** A search waits for the whole index, but no longer than a request may take: then it is asked again. @throws the last error. */
async function untilIndexed(gateway: GatewayProcess): Promise<void> {
  const from = performance.now();
  for (;;) {
    try {
      await search(gateway, 'certificate');
      return;
    } catch (error) {
      if (performance.now() - from > INDEXING_MS) throw error;
      await delay(SAMPLE_MS);
    }
  }
}

/** The 95th percentile of searches, milliseconds, once the whole catalog is indexed. */
async function searchTime(gateway: GatewayProcess): Promise<{ p95: number; indexedSeconds: number }> {
  await untilIndexed(gateway);
  const indexedSeconds = gateway.sinceStart() / 1_000;
  const times: number[] = [];
  for (let at = 0; at < SEARCHES; at += 1)
    times.push(await timed(() => search(gateway, `${WORDS[at % WORDS.length]} ${at}`)));
  return { p95: times.sort((a, b) => a - b)[Math.floor(SEARCHES * 0.95)] ?? Number.NaN, indexedSeconds };
}

/** A folder with a catalog of this size: a kept one if there is one, whose import ended well, otherwise a new one. */
async function importedFolder(credentials: number): Promise<string> {
  const { SCALE_FOLDER: keep } = process.env;
  const folder = keep === undefined ? scratchFolder() : join(keep, String(credentials));
  const done = join(folder, 'imported');
  if (existsSync(done)) {
    console.log(`${credentials} credentials, imported before: ${readFileSync(done, 'utf8')}`);
    return join(folder, 'data');
  }
  const { seconds, peakMb } = await importByCli(join(folder, 'data'), credentials);
  const size = statSync(join(folder, 'data', 'data.mdb')).blocks * 512;
  const summary = `${seconds.toFixed(0)} s, ${peakMb.toFixed(0)} MB of memory, ${(size / MEGABYTE).toFixed(0)} MB on disk`;
  writeFileSync(done, summary);
  console.log(`imported ${credentials} credentials: ${summary}`);
  return join(folder, 'data');
}

/** The bars of scale; importing takes minutes. */
export async function* scaleBars(): AsyncGenerator<Bar> {
  const fewFolder = await importedFolder(FEW);
  const manyFolder = await importedFolder(MANY);
  const few = await GatewayProcess.start(fewFolder, { settings: FROM_STORE });
  const many = await GatewayProcess.start(manyFolder, { settings: FROM_STORE });
  const most = { limit: 1, holds: 'at most', unit: '' } as const;
  yield { ...most, name: `start with ${MANY} credentials`, measured: many.readyMs / 1_000, limit: 10, unit: 's' };
  // Until then the search reads the catalog, and pages wait for it.
  await Promise.all([few, many].map(untilIndexed));
  const [short, long] = await pageTimes(few, many);
  yield {
    ...most,
    name: `page from the store, ${MANY} credentials against ${FEW}`,
    measured: long / short,
    limit: 1.3,
    detail: `${long.toFixed(1)} ms against ${short.toFixed(1)} ms`,
  };
  await Promise.all([few.stop(), many.stop()]);
  const gateway = await GatewayProcess.start(manyFolder);
  const { p95, indexedSeconds } = await searchTime(gateway);
  const indexed = `indexed ${indexedSeconds.toFixed(0)} s after the start`;
  yield { ...most, name: 'search, 95th percentile', measured: p95, limit: 50, unit: 'ms', detail: indexed };
  await fillCaches(gateway);
  const memory = gateway.rssAnon() / MEGABYTE;
  const detail = 'the engine in it, caches and search full';
  yield { ...most, name: 'memory of its own (RssAnon)', measured: memory, limit: 600, unit: 'MB', detail };
  await gateway.stop();
}
