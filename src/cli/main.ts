#!/usr/bin/env node
// `npm run cli -- <command>`: the operator's tools. Thin: each command calls what the gateway itself uses.
import { Command, Option } from 'commander';
import { loadConfig } from '../config.js';
import { failureSentence } from '../failure.js';
import { registerModels } from '../models.js';
import { migrate, openStore } from '../store.js';
import { checkEngine, compactEngine, dumpEngine, type EngineResult, restoreEngine } from './engine.js';
import { type ImportOptions, runImport } from './import.js';
import { type IssueBatchOptions, runIssueBatch } from './issue-batch.js';
import { rotateKeys } from './keys.js';
import { verifyTraction } from './traction.js';

const OUTPUT = { out: process.stdout, err: process.stderr };

function program(): Command {
  const cli = new Command('credential-gateway').description(
    'Tools of the credential gateway; configured by the same environment.',
  );
  cli
    .command('import')
    .description('Import JSON Schema documents and catalog bundles (docs/import-format.md)')
    .argument('<paths...>', 'files or folders')
    .option('--url <address>', 'the gateway to import into; default: the one at HOST:PORT, else the store itself')
    .option('--key <key>', "the operator's key; default: ADMIN_API_KEY, else the one kept in DATA_DIR")
    .option('--json', 'print one JSON object')
    .action(async (paths: string[], options: ImportOptions) => {
      process.exitCode = await runImport(loadConfig(), paths, options, OUTPUT);
    });
  cli
    .command('migrate')
    .description('Build the indexes of every collection; safe to run again and beside running gateways')
    .action(runMigrate);
  cli
    .command('keys')
    .description('The key store')
    .command('rotate')
    .description('Seal everything under the KEYSTORE_KEY that is configured now; stop every gateway first')
    .requiredOption('--before-file <path>', 'a file with the KEYSTORE_KEY before')
    .action(async ({ beforeFile }: { beforeFile: string }) => console.log(await rotateKeys(loadConfig(), beforeFile)));
  addIssuanceCommands(cli);
  addEngineCommands(
    cli.command('engine').description("The embedded engine's data in DATA_DIR, while nothing serves it"),
  );
  return cli;
}

function addIssuanceCommands(cli: Command): void {
  cli
    .command('issue-batch')
    .description('Issue a CSV of recipients as a partner: columns email, expiration, credentialSubject.<field> (JSON)')
    .argument('<file>', 'the CSV')
    .requiredOption('--url <address>', 'the gateway')
    .requiredOption('--issuer <did>', 'DID of the managed issuer')
    .requiredOption('--credential <id>', 'which credential')
    .addOption(
      new Option(
        '--on-duplicate <what>',
        'when a holder has a live one; default: revoke, with --retry-failed ignore',
      ).choices(['ignore', 'revoke']),
    )
    .option('--dry-run', 'check every row, issue nothing')
    .option('--retry-failed', 'try the rows that failed again, and only those')
    .option(
      '--result <file>',
      'where results go, and what is done is read; default: the name of the CSV with .result.csv',
    )
    .option('--run <name>', 'a name for this run; another name issues the same file again')
    .option('--token-file <path>', 'a file with a partner token')
    .option('--key-file <path>', "the partner's private key, JWK or PEM: signs fresh tokens")
    .option('--partner-id <id>', 'for --key-file')
    .option('--kid <id>', "for --key-file; default: the JWK's")
    .action(async (file: string, options: IssueBatchOptions) => {
      process.exitCode = await runIssueBatch(file, options, OUTPUT);
    });
  cli
    .command('traction')
    .description("The catalog's counts")
    .command('verify')
    .description('Count issuances again and compare; exit code 1 if anything differs')
    .action(async () => tell(await verifyTraction(loadConfig())));
}

function addEngineCommands(engine: Command): void {
  engine
    .command('check')
    .description('Read everything and say what does not fit; exit code 1 if anything does not')
    .action(async () => tell(await checkEngine(loadConfig().dataDir)));
  engine
    .command('compact')
    .description('Rewrite the data file without its free pages')
    .action(async () => tell(await compactEngine(loadConfig().dataDir)));
  engine
    .command('dump')
    .description('Write everything below a folder, in the layout of mongodump')
    .argument('<folder>')
    .action(async (folder: string) => tell(await dumpEngine(loadConfig().dataDir, folder)));
  engine
    .command('restore')
    .description('Read a folder written by dump, or by mongodump without --gzip')
    .argument('<folder>')
    .action(async (folder: string) => tell(await restoreEngine(loadConfig().dataDir, folder)));
}

function tell({ lines, sound }: EngineResult): void {
  for (const line of lines) console.log(line);
  if (!sound) process.exitCode = 1;
}

async function runMigrate(): Promise<void> {
  const store = await openStore(loadConfig());
  try {
    registerModels(store.connection);
    await migrate(store.connection, (name) => console.log(`indexes of ${name} are built`));
  } finally {
    await store.close();
  }
}

program()
  .parseAsync()
  .catch((error: unknown) => {
    console.error(failureSentence(error));
    process.exitCode = 1;
  });
