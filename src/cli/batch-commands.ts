// The commands about batches of issuances, and their options.
import type { Command } from 'commander';
import type { GatewayOptions } from './gateway.js';
import type { OutputOptions, Terminal } from './output.js';

type OptionText = readonly [flags: string, description: string];

/** Adds the commands; `gateway` are the options that name a running gateway and its operator's key. */
export function addBatchCommands(batch: Command, terminal: Terminal, gateway: readonly [OptionText, OptionText]): void {
  const [url, key] = gateway;
  batch
    .command('list')
    .description('List the newest batches of all partners, also while gateways run')
    .option('--running', 'only those that have not ended')
    .action(async (options: { running?: boolean } & OutputOptions) =>
      terminal.print(await (await import('./batch.js')).listBatches(terminal.config(), options), options),
    );
  batch
    .command('cancel <id>')
    .description('Cancel a batch at a running gateway: what is issued stays, the other rows are cancelled')
    .option(...url)
    .option(...key)
    .action(async (id: string, options: GatewayOptions & OutputOptions) =>
      terminal.print(await (await import('./batch.js')).cancelBatch(terminal.config(), id, options), options),
    );
}
