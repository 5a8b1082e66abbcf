// What a gateway costs that nobody asks: the commands that it sends to its store, and its processor time, in a minute. `MINUTES=5` measures
// for longer.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { cpuSeconds } from './processor-time.js';
import type { Bar } from './report.js';

/** After the start: indexes, the sample catalog and the first round of every worker. */
const SETTLED_MS = 20_000;
const POLL_MS = 50;
const COUNTER = fileURLToPath(new URL('./sent-commands.js', import.meta.url));

/** One gateway on its embedded engine, as `npm start` runs it. */
export async function* idleBars(): AsyncGenerator<Bar> {
  const minutes = Number(process.env.MINUTES ?? 1);
  const dataDir = scratchFolder();
  const file = join(dataDir, 'commands.json');
  const settings = { NODE_OPTIONS: `--import=${COUNTER}`, COMMANDS_FILE: file };
  const gateway = await GatewayProcess.start(dataDir, { sample: true, settings });
  await delay(SETTLED_MS);
  process.kill(gateway.pid, 'SIGUSR2');
  const before = cpuSeconds(gateway.pid);
  await delay(minutes * 60_000);
  const used = cpuSeconds(gateway.pid) - before;
  process.kill(gateway.pid, 'SIGUSR2');
  while (!existsSync(file)) await delay(POLL_MS);
  const counts = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
  await gateway.stop();
  const each = counts.sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${+(count / minutes).toFixed(1)}`);
  const sent = counts.reduce((sum, [, count]) => sum + count, 0) / minutes;
  yield { name: 'commands a minute', measured: sent, limit: 60, holds: 'at most', unit: '', detail: each.join(', ') };
  yield { name: 'processor time a minute', measured: used / minutes, limit: 0.5, holds: 'at most', unit: 's' };
}
