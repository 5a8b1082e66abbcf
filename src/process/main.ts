// The entry point: reads the arguments and the configuration, then runs a gateway, a primary, or a worker.
import cluster from 'node:cluster';
import { portFault } from '../base/config/blocked-ports.js';
import { ConfigError, loadConfig } from '../base/config/config.js';
import { mapStacks } from '../base/source-maps.js';
import { buildText } from '../base/version.js';
import { beginStart } from './start-code.js';
import { asksForHelp, asksForVersion, USAGE, workersOf } from './workers/arguments.js';

async function main(): Promise<void> {
  if (asksForHelp(process.argv.slice(2))) return console.log(USAGE);
  if (asksForVersion(process.argv.slice(2))) return console.log(buildText());
  beginStart();
  mapStacks();
  const workers = workersOf(process.argv.slice(2));
  const config = loadConfig();
  const fault = portFault(config.port);
  if (fault !== undefined) throw new ConfigError([fault]);
  // The primary loads none of the gateway's modules.
  if (workers === undefined || cluster.isWorker) await (await import('./serve.js')).serve(config);
  else await (await import('./workers/primary.js')).runPrimary(config, workers);
}

main().catch(async (error: unknown) => (await import('./failure.js')).fail(error));
