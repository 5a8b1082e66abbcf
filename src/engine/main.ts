// The engine as a command: `npm run engine -- --port N --data-dir D`.
import { parseArgs } from 'node:util';
import { serveEngine } from './server.js';

const DEFAULT_PORT = '27117';

function optionsOf(argv: string[]) {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      host: { type: 'string', default: '127.0.0.1' },
      'data-dir': { type: 'string', default: './data' },
      'test-commands': { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port must be 0..65535, not ${values.port}`);
  return { port, host: values.host, dataDir: values['data-dir'], testCommands: values['test-commands'] };
}

async function main(): Promise<void> {
  const engine = await serveEngine(optionsOf(process.argv.slice(2)));
  for (const notice of engine.notices) console.error(notice);
  console.log(`engine listening: ${engine.uri}`);
  const stop = (): void => {
    void engine.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
