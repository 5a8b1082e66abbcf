// The primary of several gateway processes: it does not serve requests, but starts and restarts the others. All share one port; the embedded
// engine, if it is used, has its own process.
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { addressOf } from '../../base/address.js';
import type { Config } from '../../base/config/config.js';
import { ensureDataDir } from '../../base/data-dir.js';
import { processLogger } from '../../base/monitoring/log.js';
import { logStart, printBanner } from '../banner.js';
import { STOP_SIGNALS } from '../signals.js';
import { KeptProcess, type Role } from './kept-process.js';
import { answerMetrics } from './metrics.js';

/** Workers have 8 s for requests in progress; orchestrators kill after 10 s. Milliseconds. */
const STOP_TIMEOUT_MS = 9_500;

/** Starts `count` gateways, prints the banner when they serve, and keeps them running until a signal. @throws NeverServed, DataDirError. */
export async function runPrimary(config: Config, count: number): Promise<void> {
  const log = processLogger(config);
  logStart(config);
  const engineRole = config.mongodbUri === undefined ? new EngineRole(config.dataDir) : undefined;
  const engine = engineRole && new KeptProcess(engineRole, log);
  const roles = Array.from({ length: count }, (_, index) => new WorkerRole(index + 1, engineRole));
  const workers = roles.map((role) => new KeptProcess(role, log));
  const stop = async (): Promise<boolean> => {
    const ended = await Promise.all(workers.map((worker) => worker.stop()));
    return ((await engine?.stop()) ?? true) && ended.every(Boolean);
  };
  endOnSignal(stop, log);
  answerMetrics();
  try {
    await engine?.start();
    // The first worker starts alone and creates secrets, the embedded store's indexes and the sample catalog.
    await workers[0]?.start();
    await Promise.all(workers.slice(1).map((worker) => worker.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  printBanner(config, addressOf(config.host, roles[0]?.port ?? config.port), count);
}

/** Stops the workers, then the engine, then the primary, with exit code 0 if all shut down in order. A second signal ends at once. */
function endOnSignal(stop: () => Promise<boolean>, log: FastifyBaseLogger): void {
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    log.info({ signal }, `${signal}: the primary stops`);
    const inOrder = await stop();
    log.info({ signal, inOrder }, 'the primary has stopped');
    process.exit(inOrder ? 0 : 1);
  };
  for (const signal of STOP_SIGNALS) process.once(signal, end);
}

class EngineRole implements Role {
  readonly name = 'the engine';
  /** The address stays the same when the engine restarts, so clients can reconnect. */
  uri = '';

  constructor(private readonly dataDir: string) {}

  spawn() {
    ensureDataDir(this.dataDir);
    const child = fork(fileURLToPath(new URL('./engine-process.js', import.meta.url)), [this.dataDir]);
    const ready = once(child, 'message').then(([uri]) => {
      this.uri = uri;
    });
    return { child, ready };
  }

  end(child: { disconnect(): void }): void {
    child.disconnect();
  }
}

/** A worker; `node:cluster` ends it when the primary is gone. */
class WorkerRole implements Role {
  readonly name: string;
  /** The address that all workers share. */
  port: number | undefined;

  constructor(
    private readonly number: number,
    private readonly engine: EngineRole | undefined,
  ) {
    this.name = `worker ${number}`;
  }

  spawn(first: boolean) {
    const worker = cluster.fork({
      GATEWAY_WORKER: this.number,
      GATEWAY_ENGINE_URI: this.engine?.uri ?? '',
      GATEWAY_PREPARES: first && this.number === 1,
    });
    const ready = once(worker, 'listening').then(([{ port }]) => {
      this.port = port;
    });
    return { child: worker.process, ready };
  }

  end(child: { kill(signal: 'SIGTERM'): boolean }): void {
    child.kill('SIGTERM');
  }
}
