// One gateway process: start, signals, graceful shutdown. It runs alone or as one of several workers.
import type { Config } from '../base/config/config.js';
import { removeAddress, writeAddress } from '../base/data-dir.js';
import type { Metrics } from '../base/monitoring/metrics.js';
import { type App, createApp } from '../compose/app.js';
import { logStart, printBanner } from './banner.js';
import { fail } from './failure.js';
import { boundHeap } from './heap.js';
import { STOP_SIGNALS } from './signals.js';
import { endStart } from './start-code.js';
import { metricsOfWorkers } from './workers/metrics.js';

/** Time limit of a shutdown; orchestrators kill after 10 s. Milliseconds. */
const STOP_TIMEOUT_MS = 8_000;

/** Serves until a signal. @throws the errors of `createApp`, and system errors if it cannot listen on the port. */
export async function serve(config: Config): Promise<void> {
  boundHeap();
  logStart(config);
  const metricsText = (own: Metrics) => {
    own.addProcess();
    return config.worker === undefined ? () => own.text() : metricsOfWorkers(own);
  };
  const app = await createApp(config, { metricsText, requiresIndexes: true });
  app.failed.catch(fail);
  // graphql-js drops the promises of a list when one item throws. If a dropped promise rejects too, the process must
  // not end.
  process.on('unhandledRejection', (reason) => app.log.error({ err: reason }, 'an unhandled rejection'));
  // After an uncaught error the state is unknown, so the process ends, as it would without this handler.
  process.on('uncaughtExceptionMonitor', (error, origin) =>
    app.log.fatal({ err: error, origin, requests: app.requestsUnderWay() }, 'the process ends after an uncaught error'),
  );
  const serving = stopOnSignal(app, config);
  const { url } = await app.listen();
  endStart();
  writeAddress(config.dataDir, url);
  serving.address = url;
  if (config.worker === undefined) printBanner(config, url);
}

/** Stops in order at a signal; a second one ends the process at once. The address is removed from the data folder. */
function stopOnSignal(app: App, { worker, stopDelayMs, dataDir }: Config): { address: string } {
  const serving = { address: '' };
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    app.log.info({ signal }, `${signal}: the gateway stops`);
    app.refuseReadiness();
    setTimeout(() => {
      app.log.error(
        { requests: app.requestsUnderWay() },
        `not stopped after ${STOP_TIMEOUT_MS / 1_000} s: open connections are closed`,
      );
      process.exit(1);
    }, stopDelayMs + STOP_TIMEOUT_MS).unref();
    removeAddress(dataDir, serving.address);
    const close = async (): Promise<void> => {
      await app.drain();
      await app.close();
      app.log.info({ signal }, 'the gateway has stopped');
      process.exit(0);
    };
    // Until then, balancers notice that it is not ready and send no more requests.
    setTimeout(() => void close().catch(fail), stopDelayMs);
  };
  // A worker may receive the signal twice, from the terminal or orchestrator and from the primary. Without workers, a
  // second signal means to stop now.
  const listen = worker === undefined ? process.once : process.on;
  for (const signal of STOP_SIGNALS) listen.call(process, signal, stop);
  return serving;
}
