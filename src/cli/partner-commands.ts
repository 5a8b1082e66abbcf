// The commands about partners, and options for a partner's key.
import { type Command, Option } from 'commander';
import type { GatewayOptions } from './gateway.js';
import type { OutputOptions, Terminal } from './output.js';
import type { CreateOptions, PartnerTokenOptions } from './partner.js';

type OptionText = readonly [flags: string, description: string];
type RecordOptions = GatewayOptions & OutputOptions;

/** Adds the commands; `gateway` are the options that name a running gateway and its operator's key. */
export function addPartnerCommands(
  partner: Command,
  terminal: Terminal,
  gateway: readonly [OptionText, OptionText],
): void {
  const [url, key] = gateway;
  partner
    .command('create')
    .description('Register a partner at a running gateway, with a new key or a given one')
    .requiredOption('--name <name>', 'its name')
    .option('--issuer <ids...>', 'ids of the issuers that it may act for: issue for managed ones, store for others')
    .addOption(new Option('--scope <scopes...>', 'what it may do').choices(['issue', 'verify']).default(['issue']))
    .option(
      '--origin <origins...>',
      'origins of its pages, such as https://shop.example: they may call, and have the wallet',
    )
    .option('--key-file <path>', 'file of its private key, JWK or PEM; created if missing; default: partner.json')
    .option(...url)
    .option(...key)
    .action(async (options: CreateOptions & OutputOptions) =>
      terminal.print(await (await import('./partner.js')).createPartner(terminal.config(), options), options),
    );
  addKeyOptions(partner.command('token').description('Print a token for x-partner-auth that lives for five minutes'))
    .option('--scope <words>', 'its scopes in quotes, such as "issue verify"', 'issue')
    .option('--email <address>', "the holder's address, for logins")
    .action(async (options: PartnerTokenOptions & OutputOptions) =>
      terminal.print(await (await import('./partner.js')).partnerToken(options), options),
    );
  const records = () => import('./partner-records.js');
  partner
    .command('list')
    .description('List the partners of a running gateway, newest first')
    .option(...url)
    .option(...key)
    .action(async (options: RecordOptions) =>
      terminal.print(await (await records()).listPartners(terminal.config(), options), options),
    );
  partner
    .command('show <id>')
    .description('Show a partner as it was written')
    .option(...url)
    .option(...key)
    .action(async (id: string, options: RecordOptions) =>
      terminal.print(await (await records()).showPartner(terminal.config(), id, options), options),
    );
  partner
    .command('retire <id>')
    .description('Retire a partner: its tokens are refused from then on')
    .option(...url)
    .option(...key)
    .action(async (id: string, options: RecordOptions) =>
      terminal.print(await (await records()).retirePartner(terminal.config(), id, options), options),
    );
}

/** Adds the options of a partner's key. */
export function addKeyOptions(command: Command): Command {
  return command
    .option('--key-file <path>', "the partner's private key, JWK or PEM: signs fresh tokens; default: partner.json")
    .option('--partner-id <id>', 'for --key-file; default: the one that partner create wrote into it')
    .option('--kid <id>', "for --key-file; default: the JWK's");
}
