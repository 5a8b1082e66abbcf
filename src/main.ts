// The process: configuration, start, signals, nothing else.
import { join } from 'node:path';
import { createApp, OPERATOR_KEY_FILE } from './app.js';
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

const FIRST_QUERY =
  '{ credentials(first: 3) { nodes { name issuer { name } programs(first: 2) { nodes { name } } } } }';

/** The addresses, and a first call to try. */
function banner(url: string, { mongodbUri, dataDir, networkEnv, adminApiKey, catalogEnabled }: Config): string {
  const store = mongodbUri === undefined ? `its own store in ${dataDir}` : 'the store at MONGODB_URI';
  const ownKey = networkEnv === 'sandbox' && adminApiKey === undefined;
  return [
    `credential-gateway: ${networkEnv}, ${store}`,
    `  GraphQL       ${url}/graphql`,
    `  REST          ${url}/v1/catalog/credentials`,
    `  health        ${url}/health/ready`,
    ...(ownKey ? [`  operator key  in ${join(dataDir, OPERATOR_KEY_FILE)}, for the header x-admin-api-key`] : []),
    ...(catalogEnabled
      ? [
          'Try it:',
          `  curl -s ${url}/graphql -H 'content-type: application/json' \\`,
          `    -d '{"query": "${FIRST_QUERY}"}'`,
        ]
      : []),
  ].join('\n');
}

function fail(error: unknown): never {
  console.error(failureSentence(error));
  process.exit(1);
}

main().catch(fail);
