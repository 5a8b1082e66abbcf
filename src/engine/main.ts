// The engine as a command: `npm run engine -- --port N --data-dir D`.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const DEFAULT_PORT = '27117';

const USAGE = `The embedded engine alone: a MongoDB replica set of one on this machine.

  --port N            the port to listen on (default ${DEFAULT_PORT}; 0 for a free one)
  --host ADDRESS      the address to listen on (default 127.0.0.1); there is no authentication
  --data-dir FOLDER   where the data lies (default ./data)
  --test-commands     take configureFailPoint, for tests of drivers
  --help              this text
  --version           the gateway's version and commit

It prints the address that clients connect to, and ends with SIGTERM or SIGINT.`;

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The version, and the commit from which it was built if that is known, as `credential-gateway --version` prints them. */
function version(): string {
  const { version } = JSON.parse(read('../../package.json')) as { version: string };
  const commit = existsSync(new URL('../../dist/commit', import.meta.url))
    ? read('../../dist/commit').trim()
    : 'unknown';
  return commit === 'unknown' ? version : `${version}+${commit}`;
}

/** The options of the command line, or the text that `--help` or `--version` prints. */
function optionsOf(argv: string[]) {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      host: { type: 'string', default: '127.0.0.1' },
      'data-dir': { type: 'string', default: './data' },
      'test-commands': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      version: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  if (values.version) return version();
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port must be 0..65535, not ${values.port}`);
  return { port, host: values.host, dataDir: values['data-dir'], testCommands: values['test-commands'] };
}

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (typeof options === 'string') {
    console.log(options);
    return;
  }
  // From here on, stack traces show the TypeScript sources of modules that are loaded later.
  process.setSourceMapsEnabled(true);
  const { serveEngine } = await import('./server.js');
  const engine = await serveEngine(options);
  const stop = (): void => {
    void engine.close().then(() => process.exit(0));
  };
  // Registered before the address is printed, because the program that reads it may stop this process at once.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  for (const notice of engine.notices) console.error(notice);
  console.log(`engine listening: ${engine.uri}`);
}

/** The sentence for an error that ends the process. */
function sentenceOf(error: unknown): string {
  const { code, port } = Object(error) as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') return `The port ${port} is in use by another process; give another one with --port.`;
  return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
  console.error(sentenceOf(error));
  process.exit(1);
});
