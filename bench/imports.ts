// What an import costs: lines of a catalog a second of processor time, of the gateway with its store and without whoever sends them.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { credentialLines, foundation } from './catalog-data.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { cpuSeconds } from './processor-time.js';
import type { Bar } from './report.js';

const GOAL = 3_000;

/** The bar of an import of so many credentials. */
async function* importBar(total: number): AsyncIterable<Bar> {
  const dataDir = scratchFolder();
  const gateway = await GatewayProcess.start(dataDir);
  try {
    await gateway.import(foundation(total));
    const before = { cpu: cpuSeconds(gateway.pid), at: performance.now() };
    await gateway.import(credentialLines(total));
    const cpu = cpuSeconds(gateway.pid) - before.cpu;
    const seconds = (performance.now() - before.at) / 1_000;
    const megabytes = statSync(join(dataDir, 'data.mdb')).size / 1_000_000;
    const memory = gateway.rssAnon() / 1_000_000;
    yield {
      name: `credentials imported for a second of processor time, ${total} lines`,
      measured: total / cpu,
      limit: GOAL,
      holds: 'at least',
      unit: 'lines',
      detail: `${Math.round(total / seconds)}/s, ${cpu.toFixed(0)} s of processor time, ${memory.toFixed(0)} MB of memory, ${megabytes.toFixed(0)} MB of disk`,
    };
  } finally {
    await gateway.stop();
  }
}

/** The bars of imports: 100,000 lines, or as many as IMPORT_LINES says. */
export async function* importBars(): AsyncIterable<Bar> {
  yield* importBar(Number(process.env.IMPORT_LINES ?? 100_000));
}
