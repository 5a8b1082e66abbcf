// The commands about holders, and their options.
import type { Command } from 'commander';
import type { GatewayOptions } from './gateway.js';
import type { HolderOptions } from './holder.js';
import type { OutputOptions, Terminal } from './output.js';

type Option = readonly [flags: string, description: string];

/** Adds the commands; `gateway` are the options that name a running gateway and its operator's key. */
export function addHolderCommands(holder: Command, terminal: Terminal, gateway: readonly [Option, Option]): void {
  const [url, key] = gateway;
  const named = (command: Command): Command =>
    command
      .option('--user-id <id>', 'its userId')
      .option('--email <address>', 'its e-mail address')
      .option('--did <did>', 'its DID')
      .option(...url)
      .option(...key);
  named(holder.command('reset-mfa'))
    .description('Remove the passkeys and the key backup of a holder who has lost every way in, at a running gateway')
    .action(async (options: HolderOptions & OutputOptions) =>
      terminal.print(await (await import('./holder.js')).resetMfa(terminal.config(), options), options),
    );
  named(holder.command('erase'))
    .description('Erase a holder at a running gateway; this cannot be undone')
    .action(async (options: HolderOptions & OutputOptions) =>
      terminal.print(await (await import('./holder.js')).eraseHolder(terminal.config(), options), options),
    );
  holder
    .command('erasure <id>')
    .description('Show the progress of an erasure')
    .option(...url)
    .option(...key)
    .action(async (id: string, options: GatewayOptions & OutputOptions) =>
      terminal.print(await (await import('./holder.js')).showErasure(terminal.config(), id, options), options),
    );
}
