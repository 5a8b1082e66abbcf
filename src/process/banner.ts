// The output at the start: the version, the addresses, and a first call to try.
import { join } from 'node:path';
import { type Config, misspeltVariables } from '../base/config/config.js';
import { OPERATOR_KEY_FILE } from '../base/data-dir.js';
import { processLogger } from '../base/monitoring/log.js';
import { buildOf } from '../base/version.js';

const FIRST_QUERY =
  '{ credentials(first: 3) { nodes { name issuer { name } programs(first: 2) { nodes { name } } } } }';

/** The first line of the log, and one for each variable whose name is almost right. */
export function logStart(config: Config): void {
  const log = processLogger(config);
  log.info({ ...buildOf(), networkEnv: config.networkEnv }, 'the gateway starts');
  if (config.worker === undefined) for (const sentence of misspeltVariables()) log.warn(sentence);
}

/** Prints the banner, except in production without a terminal: there the output is only the log, in JSON lines. */
export function printBanner(config: Config, url: string, processes = 1): void {
  if (config.networkEnv === 'sandbox' || process.stdout.isTTY) console.log(banner(config, url, processes));
}

/** @param processes number of gateway processes. */
export function banner(
  { mongodbUri, dataDir, networkEnv, adminApiKey, catalogEnabled, pages, publicUrl, port }: Config,
  url: string,
  processes = 1,
): string {
  const store = mongodbUri === undefined ? `its own store in ${dataDir}` : 'the store at MONGODB_URI';
  const ownKey = networkEnv === 'sandbox' && adminApiKey === undefined;
  return [
    `credential-gateway: ${networkEnv}, ${store}${processes === 1 ? '' : `, ${processes} workers`}`,
    ...(pages ? [`  start page    ${url}/`] : []),
    `  GraphQL       ${url}/graphql`,
    `  REST          ${url}/v1/${catalogEnabled ? 'catalog/credentials' : 'openapi.json'}`,
    `  health        ${url}/health/ready`,
    ...(networkEnv === 'sandbox' ? ['  your pages    may call from this machine; others need CORS_ORIGINS'] : []),
    ...(ownKey ? [`  operator key  in ${join(dataDir, OPERATOR_KEY_FILE)}, for the header x-admin-api-key`] : []),
    ...(publicUrl === undefined
      ? [`  credentials   always name http://localhost:${port}; set PUBLIC_URL to an address that verifiers can reach`]
      : []),
    ...(catalogEnabled
      ? [
          'Try it:',
          `  curl -s ${url}/graphql -H 'content-type: application/json' \\`,
          `    -d '{"query": "${FIRST_QUERY}"}'`,
        ]
      : []),
  ].join('\n');
}
