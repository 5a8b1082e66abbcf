// The commands and their options. Each calls functions of the gateway.
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildText } from '../base/version.js';
import type { ExportOptions } from './audit.js';
import { addBatchCommands } from './batch-commands.js';
import { addChainCommands } from './chain-commands.js';
import { addEngineCommands } from './engine-commands.js';
import type { GatewayOptions } from './gateway.js';
import { addHolderCommands } from './holder-commands.js';
import type { ImportOptions } from './import.js';
import type { IssueOptions } from './issue.js';
import type { IssueOffersOptions } from './issue-offers.js';
import type { MirrorFlags } from './mirror.js';
import { linesReport, type OutputOptions, sentenceOf, type Terminal } from './output.js';
import { addKeyOptions, addPartnerCommands } from './partner-commands.js';
import type { CopyOptions } from './store-copy.js';
import { addListenOptions, addWebhookCommands } from './webhook-commands.js';

const URL_OPTION = ['--url <address>', 'the gateway; default: the one of DATA_DIR, else the one at HOST:PORT'] as const;
const KEY_OPTION = ['--key <key>', "the operator's key; default: ADMIN_API_KEY, else the one in DATA_DIR"] as const;

/** The command line. A command's modules are loaded when it runs, so that help and tokens do not load a whole gateway. Parsing throws CommanderError. */
export function program(terminal: Terminal): Command {
  const cli = new Command('credential-gateway')
    .description('Tools of the credential gateway; configured by the same environment.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: (text, write) => write(`${sentenceOf(text)}\n`),
    });
  addImportCommand(cli, terminal);
  cli
    .command('doctor')
    .description(
      'Examine this installation: configuration, store, indexes, keys, clocks, addresses, chain; exit code 1 if anything is bad',
    )
    .action(async (options: OutputOptions) =>
      terminal.print(await (await import('./doctor.js')).examine(terminal.env), options),
    );
  addPartnerCommands(cli.command('partner').description('Partners: who may issue and verify'), terminal, [
    URL_OPTION,
    KEY_OPTION,
  ]);
  addBatchCommands(cli.command('batch').description('Batches of issuances'), terminal, [URL_OPTION, KEY_OPTION]);
  addIssuanceCommands(cli, terminal);
  const webhooks = cli.command('webhooks').description('Webhooks of partners');
  addListenOptions(addKeyOptions(webhooks.command('listen')), terminal).option(...URL_OPTION);
  addWebhookCommands(webhooks, terminal, [URL_OPTION, KEY_OPTION]);
  addSchemaCommands(cli, terminal);
  addStoreCommands(cli, terminal);
  addOperatorKeyCommands(cli.command('operator-key').description('Named operator keys'), terminal);
  cli
    .command('mailbox <email>')
    .description("Show the newest mails to an address, newest last, from the sandbox's mailbox of a running gateway")
    .option(...URL_OPTION)
    .option(...KEY_OPTION)
    .action(async (email: string, options: GatewayOptions & OutputOptions) =>
      terminal.print(await (await import('./mailbox.js')).showMailbox(terminal.config(), email, options), options),
    );
  addHolderCommands(cli.command('holder').description('Holders'), terminal, [URL_OPTION, KEY_OPTION]);
  addAuditCommands(cli.command('audit').description('The log of what operators and partners wrote'), terminal);
  addEngineCommands(
    cli
      .command('engine')
      .description("The embedded engine's data in DATA_DIR, while no process serves it (backup, stats: at any time)"),
    terminal,
  );
  addChainCommands(cli, terminal);
  addCommonOptions(cli, buildText());
  return cli;
}

function addImportCommand(cli: Command, terminal: Terminal): void {
  cli
    .command('import')
    .description('Import files (docs/import-format.md), or the catalog of another network (docs/mirror.md)')
    .argument('[paths...]', 'files or folders')
    .option('--from <address>', 'base address of a network whose catalog is mirrored, instead of files')
    .option('--full', 'with --from: read every entry again')
    .option('--overwrite', "with --from: replace entries that were changed here with the source's")
    .option(URL_OPTION[0], `${URL_OPTION[1]}, else the store itself`)
    .option(...KEY_OPTION)
    .action(async (paths: string[], options: ImportOptions & Partial<MirrorFlags>) => {
      const { runMirror } = await import('./mirror.js');
      const { runImport } = await import('./import.js');
      const run = options.from === undefined ? runImport : runMirror;
      terminal.exitCode = await run(terminal.config(), paths, options, terminal);
    });
}

function addSchemaCommands(cli: Command, terminal: Terminal): void {
  cli
    .command('schema')
    .description('Schemas of the catalog')
    .command('impact')
    .description('What a change would break: conditions of programs, live credentials; exit code 1 if anything')
    .argument('<id>', 'id of the schema')
    .argument('<file>', 'a JSON Schema document, or a body of PUT /v1/admin/schemas/{id}')
    .option(...URL_OPTION)
    .option(...KEY_OPTION)
    .action(async (id: string, file: string, options: GatewayOptions & OutputOptions) =>
      terminal.print(await (await import('./schema.js')).schemaImpact(terminal.config(), id, file, options), options),
    );
}

const onDuplicate = (without: string, ...more: string[]) =>
  new Option('--on-duplicate <what>', `if the holder has a live credential of it; without it ${without}`).choices([
    'ignore',
    'revoke',
    ...more,
  ]);

function addIssuanceCommands(cli: Command, terminal: Terminal): void {
  addKeyOptions(cli.command('issue').description('Issue one credential to an e-mail address, as a partner'))
    .option('--token-file <path>', 'a file with a partner token')
    .requiredOption('--credential <id>', 'id of the credential')
    .requiredOption('--email <address>', 'e-mail address of the recipient')
    .requiredOption('--subject <json>', 'its content, an object')
    .option('--issuer <did>', "DID of the managed issuer; default: the credential's")
    .option('--expires <time>', "a date-time, such as 2030-12-31T12:00Z; default: by the credential's duration")
    .addOption(onDuplicate('nothing is issued then'))
    .option(...URL_OPTION)
    .action(async (options: IssueOptions & OutputOptions) =>
      terminal.print(await (await import('./issue.js')).issueOne(terminal.config(), options), options),
    );
  addKeyOptions(
    cli
      .command('issue-batch')
      .description(
        'Issue a CSV of recipients as a partner: columns email, expiration, credentialSubject.<field> (JSON)',
      ),
  )
    .argument('<file>', 'the CSV')
    .option('--token-file <path>', 'a file with a partner token')
    .option(...URL_OPTION)
    .option('--issuer <did>', "DID of the managed issuer; default: the credential's")
    .requiredOption('--credential <id>', 'id of the credential')
    .addOption(onDuplicate('a terminal is asked, and with --retry-failed it is ignore', 'omit'))
    .option('--offers', 'offer the credential to wallets of others; the addresses are in the result file alone')
    .addOption(
      new Option('--tx-code <way>', 'with --offers: who passes the transaction code on; default: mail')
        .choices(['mail', 'partner', 'none'])
        .implies({ offers: true }),
    )
    .addOption(
      new Option('--expires-in <seconds>', 'with --offers: how long each is open; default: 86400, without a code 600')
        .argParser(offerSeconds)
        .implies({ offers: true }),
    )
    .option('--dry-run', 'check every row, issue nothing')
    .option('--retry-failed', 'send only the rows that failed')
    .option(
      '--result <file>',
      'the file for results, from which a repeated run continues; default: the name of the CSV with .result.csv, or .offers.csv',
    )
    .option('--run <name>', 'name of this run; another knows nothing of what this one issued')
    .action(async (file: string, options: Partial<IssueOffersOptions> & { credential: string; offers?: boolean }) => {
      const { requireGateway } = await import('./gateway.js');
      const { issuerDidOf } = await import('./issue.js');
      const url = await requireGateway(terminal.config(), options);
      const issuer = options.issuer ?? (await issuerDidOf(url, options.credential));
      const known = { ...options, url, issuer };
      terminal.exitCode = options.offers
        ? await (await import('./issue-offers.js')).runIssueOffers(file, known, terminal)
        : await (await import('./issue-batch.js')).runIssueBatch(file, known, terminal);
    });
}

function addStoreCommands(cli: Command, terminal: Terminal): void {
  cli
    .command('migrate')
    .description('Build every index and update rows of earlier versions; safe to repeat, also while gateways run')
    .option('--time-limit <minutes>', 'ends with a failure after this time', minutesOf, 60)
    .action(async ({ timeLimit, ...options }: { timeLimit: number } & OutputOptions) => {
      const { MIGRATE_TIMES, runMigrate } = await import('./migrate.js');
      const times = { ...MIGRATE_TIMES, limitMs: timeLimit * 60_000 };
      terminal.print(await runMigrate(terminal.config(), terminal, times), options);
    });
  cli
    .command('store')
    .description('The whole store')
    .command('copy')
    .description(
      'Copy a stopped store between a data folder and MongoDB, in either direction, and compare; run it again to resume',
    )
    .requiredOption('--from <store>', 'a data folder or a connection string')
    .requiredOption('--to <store>', 'an empty store, or the target of an interrupted copy')
    .action(async (options: CopyOptions & OutputOptions) =>
      terminal.print(await (await import('./store-copy.js')).runCopy(options, terminal), options),
    );
  addKeyCommands(cli.command('keys').description('The key store'), terminal);
  cli
    .command('traction')
    .description("The catalog's counts")
    .command('verify')
    .description('Recount and compare issuances and verifications, also while gateways run; exit code 1 if any differ')
    .action(async (options: OutputOptions) =>
      terminal.print(linesReport(await (await import('./traction.js')).verifyTraction(terminal.config())), options),
    );
}

function addOperatorKeyCommands(key: Command, terminal: Terminal): void {
  key
    .command('create <name>')
    .description('Create a key and print it; it is shown only once')
    .requiredOption('--role <role>', 'read, catalog (also writes the catalog) or all')
    .action(async (name: string, options: { role: string } & OutputOptions) =>
      terminal.print(
        await (await import('./operator-key.js')).createOperatorKey(terminal.config(), name, options.role),
        options,
      ),
    );
  key
    .command('list')
    .description('List all keys, including withdrawn ones')
    .action(async (options: OutputOptions) =>
      terminal.print(await (await import('./operator-key.js')).listOperatorKeys(terminal.config()), options),
    );
  key
    .command('rotate <name>')
    .description('Create a new key of this name and print it; the previous one works for 24 more hours')
    .action(async (name: string, options: OutputOptions) =>
      terminal.print(await (await import('./operator-key.js')).rotateOperatorKey(terminal.config(), name), options),
    );
  key
    .command('withdraw <name>')
    .description('Withdraw a key; this cannot be undone')
    .action(async (name: string, options: OutputOptions) =>
      terminal.print(await (await import('./operator-key.js')).withdrawOperatorKey(terminal.config(), name), options),
    );
}

function addAuditCommands(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('Verify the hash chain, also while gateways run; exit code 1 if it is broken')
    .option('--expect <hash>', 'a hash that an earlier run printed: an entry must have it')
    .action(async (options: { expect?: string } & OutputOptions) =>
      terminal.print(await (await import('./audit.js')).verifyAudit(terminal.config(), options), options),
    );
  audit
    .command('export')
    .description('Print entries as NDJSON, oldest first')
    .option('--actor <actor>', '"operator <name of the key>" or "partner <partnerId>"')
    .option('--operation <name>', 'such as partner.put')
    .option('--from <time>', 'ISO 8601: from this moment on')
    .option('--to <time>', 'ISO 8601: before this moment')
    .action(async (options: ExportOptions) => (await import('./audit.js')).exportAudit(options, terminal));
}

function addKeyCommands(keys: Command, terminal: Terminal): void {
  const report = (message: string, options: OutputOptions) =>
    terminal.print({ lines: [message], json: { message } }, options);
  keys
    .command('rotate')
    .description('Seal everything under the KEYSTORE_KEY that is configured now; stop every gateway first')
    .requiredOption('--before-file <path>', 'a file with the previous KEYSTORE_KEY')
    .action(async (options: { beforeFile: string } & OutputOptions) =>
      report(await (await import('./keys.js')).rotateKeys(terminal.config(), options.beforeFile), options),
    );
  keys
    .command('withdraw')
    .description("Withdraw a managed issuer's BBS key: credentials signed with it can no longer be proven")
    .argument('<kid>', 'as in GET /v1/issuers/{id}/zk-keys')
    .action(async (kid: string, options: OutputOptions) =>
      report(await (await import('./keys.js')).withdrawKey(terminal.config(), kid), options),
    );
}

/** Minutes from 1 to 10,080 (a week). @throws InvalidArgumentError. */
function minutesOf(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= 10_080) return minutes;
  throw new InvalidArgumentError('It must be a whole number of minutes from 1 to 10080.');
}

/** Seconds from 60 to 604,800 (a week). @throws InvalidArgumentError. */
function offerSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 60 && seconds <= 604_800) return seconds;
  throw new InvalidArgumentError('It must be a whole number of seconds from 60 to 604800.');
}

/** Adds --version to every command, and --json to those without subcommands. */
function addCommonOptions(command: Command, version: string): void {
  command.version(version);
  if (command.commands.length === 0) command.option('--json', 'print one JSON object');
  for (const below of command.commands) addCommonOptions(below, version);
}
