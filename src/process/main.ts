// The process: arguments, configuration, and what to be: the gateway, the primary of several, or one of these.
import cluster from 'node:cluster';
import { loadConfig } from '../base/config.js';
import { fail } from './failure.js';
import { workersOf } from './workers/arguments.js';

async function main(): Promise<void> {
  const workers = workersOf(process.argv.slice(2));
  const config = loadConfig();
  // A primary needs nothing of what a gateway loads.
  if (workers === undefined || cluster.isWorker) await (await import('./serve.js')).serve(config);
  else await (await import('./workers/primary.js')).runPrimary(config, workers);
}

main().catch(fail);
