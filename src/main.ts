// The process: configuration, start, signals, nothing else.
import { createApp } from './app.js';
import { type Config, loadConfig } from './config.js';
import { failureSentence } from './failure.js';

/** A stop that takes longer is ended; orchestrators kill after 10 s. Milliseconds. */
const STOP_TIMEOUT_MS = 8_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const app = await createApp(config);
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const { url } = await app.listen();
  console.log(banner(url, config));
}

function banner(url: string, config: Config): string {
  const store = config.mongodbUri === undefined ? `embedded engine in ${config.dataDir}` : 'MongoDB';
  return [
    `credential-gateway (${config.networkEnv}, ${store})`,
    `  GraphQL   ${url}/graphql`,
    `  REST      ${url}/v1/catalog/credentials`,
    `  health    ${url}/health/ready`,
  ].join('\n');
}

function fail(error: unknown): never {
  console.error(failureSentence(error));
  process.exit(1);
}

main().catch(fail);
