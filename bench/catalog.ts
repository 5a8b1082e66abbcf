// The catalog's bars: a nested page over a small and a large catalog, start, memory, and the rate of imports.
import { setTimeout as delay } from 'node:timers/promises';
import { insertAgain } from './bulk-insert.js';
import { credentialLines, foundation, programLines } from './catalog-data.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { type Bar, median, timed } from './report.js';

const SMALL = 1_000;
const LARGE = 100_000;
const IMPORTED = 10_000;
const ROUNDS = 300;
const WARM_UP = 50;
const IDLE_MS = 10_000;
const MEGABYTE = 1024 * 1024;

/** A page of 20 by popularity, four relations deep: programs, their verifier, its programs, what those accept. */
const NESTED = `query Page($first: Int!) {
  credentials(first: $first, orderBy: { field: POPULARITY, direction: DESC }) {
    nodes {
      credentialId name category
      issuer { issuerId name traction { holderCount } }
      schema { schemaId title }
      dataPoints { name type }
      traction { holderCount issuanceCount verificationCount demandCount }
      programs(first: 3) { totalCount nodes {
        programId name
        verifier { verifierId name programs(first: 2) { nodes {
          programId
          acceptedCredentials { verificationConditions credential { credentialId name } }
        } } }
      } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function fill(gateway: GatewayProcess, credentials: number): Promise<void> {
  await gateway.import(foundation(credentials));
  await gateway.import(credentialLines(credentials));
  await gateway.import(programLines(credentials));
}

const page = (gateway: GatewayProcess) => timed(() => gateway.query(NESTED, { first: 20 }));

async function sampleBars(): Promise<Bar[]> {
  const folder = scratchFolder();
  const fresh = await GatewayProcess.start(folder, { sample: true });
  await fresh.query(NESTED, { first: 20 });
  const first = fresh.sinceStart() / 1000;
  await delay(IDLE_MS);
  const memory = fresh.rssAnon() / MEGABYTE;
  await fresh.stop();
  return [
    { name: 'start to first answer, empty folder', measured: first, limit: 5, holds: 'at most', unit: 's' },
    { name: 'idle memory with the sample catalog', measured: memory, limit: 200, holds: 'at most', unit: 'MB' },
  ];
}

async function sizeBars(): Promise<Bar[]> {
  const [smallFolder, largeFolder] = [scratchFolder(), scratchFolder()];
  const small = await GatewayProcess.start(smallFolder);
  await fill(small, SMALL);
  const filling = await GatewayProcess.start(largeFolder);
  const fillMs = await timed(() => fill(filling, LARGE));
  await filling.stop();
  const large = await GatewayProcess.start(largeFolder);
  const ready = large.readyMs / 1000;
  const [smallMs, largeMs] = await pageTimes(small, large);
  const memory = `${Math.round(large.rssAnon() / MEGABYTE)} MB then, filled in ${Math.round(fillMs / 1000)} s`;
  await Promise.all([small.stop(), large.stop()]);
  return [
    {
      name: `nested page, ${LARGE} credentials against ${SMALL}`,
      measured: largeMs / smallMs,
      limit: 1.5,
      holds: 'at most',
      unit: '',
      detail: `${largeMs.toFixed(1)} ms against ${smallMs.toFixed(1)} ms`,
    },
    { name: `ready with ${LARGE} credentials`, measured: ready, limit: 8, holds: 'at most', unit: 's', detail: memory },
  ];
}

/** Medians of a page on both, asked in turns so that both see the same machine. */
async function pageTimes(small: GatewayProcess, large: GatewayProcess): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const pair = [await page(small), await page(large)] as const;
    if (round < 0) continue;
    times[0].push(pair[0]);
    times[1].push(pair[1]);
  }
  return [median(times[0]), median(times[1])];
}

async function importBars(): Promise<Bar[]> {
  const folder = scratchFolder();
  const gateway = await GatewayProcess.start(folder);
  await gateway.import(foundation(IMPORTED));
  const imported = await timed(() => gateway.import(credentialLines(IMPORTED)));
  await gateway.stop();
  const { indexed, bare } = await insertAgain(folder);
  const rate = (ms: number) => `${Math.round(IMPORTED / (ms / 1000))}/s`;
  const detail = `${rate(imported)} against ${rate(indexed)} (and ${rate(bare)} without indexes)`;
  const name = `import of ${IMPORTED} credentials against the driver's bulk insert`;
  return [{ name, measured: indexed / imported, limit: 0.3, holds: 'at least', unit: '', detail }];
}

/** All bars of the catalog. */
export async function* catalogBars(): AsyncGenerator<Bar> {
  yield* await sampleBars();
  yield* await importBars();
  yield* await sizeBars();
}
