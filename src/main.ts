// The process: configuration, start, signals, nothing else.
import { createApp } from './app.js';
import { type Config, ConfigError, loadConfig } from './config.js';
import { DataDirError } from './data-dir.js';

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

/** Failures that a person can mend are one sentence; anything else shows where it happened. */
function fail(error: unknown): never {
  console.error(sentence(error));
  process.exit(1);
}

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof DataDirError || error.name === 'EngineError')
    return error.message;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'The port is in use by another process; set PORT to another one.';
  if (code === 'EACCES') return 'This user may not listen on that port; set PORT to one above 1023.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'HOST is not an address of this machine; set it to 127.0.0.1 or 0.0.0.0.';
  if (/^Mongo(ose)?Server/.test(error.name)) return `The store at MONGODB_URI cannot be reached: ${error.message}`;
  return error.stack ?? error.message;
}

main().catch(fail);
