// One gateway process: start, signals, orderly end. It is all there is, or one of several workers.
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../base/config.js';
import { removeAddress, writeAddress } from '../base/data-dir.js';
import { createApp } from '../compose/app.js';
import { banner } from './banner.js';
import { fail } from './failure.js';

/** A stop that takes longer is ended; orchestrators kill after 10 s. Milliseconds. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * Percent by which the heaps of the process grow before they are collected again. V8 alone lets them grow to four times what is in use,
 * which with full caches is more memory than all that they keep.
 */
const HEAP_GROWTH = 40;

/** Serves until a signal. @throws what `createApp` throws, and the system's errors of a port that cannot be listened on. */
export async function serve(config: Config): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const app = await createApp(config);
  app.failed.catch(fail);
  // graphql-js forgets the promises of a list when one of its items fails at once; that one of them fails too must not end everyone's process.
  process.on('unhandledRejection', (reason) => app.log.error({ err: reason }, 'a failure that nobody waited for'));
  // Nobody knows in which state such an error leaves us: the process ends, as without this line.
  process.on('uncaughtExceptionMonitor', (error, origin) =>
    app.log.fatal(
      { err: error, origin, requests: app.requestsUnderWay() },
      'an error that nobody caught ends the process',
    ),
  );
  let address = '';
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    removeAddress(config.dataDir, address);
    app.close().then(() => process.exit(0), fail);
  };
  // A worker may be told twice, by whoever signals all processes and by the primary; a person at a keyboard who repeats it means it.
  const listen = config.worker === undefined ? process.once : process.on;
  for (const signal of ['SIGTERM', 'SIGINT']) listen.call(process, signal, stop);
  const { url } = await app.listen();
  address = url;
  writeAddress(config.dataDir, url);
  if (config.worker === undefined) console.log(banner(config, url));
}
