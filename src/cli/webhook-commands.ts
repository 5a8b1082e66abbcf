// The commands about webhooks, and their options.
import type { Command } from 'commander';
import type { GatewayOptions } from './gateway.js';
import type { OutputOptions, Terminal } from './output.js';
import type { ListOptions } from './webhook-records.js';
import type { ListenOptions } from './webhooks-listen.js';

type OptionText = readonly [flags: string, description: string];

/** Adds the options of the command, in addition to those of a partner's key. */
export function addListenOptions(command: Command, terminal: Terminal): Command {
  return command
    .description("Forward a partner's events to its own machine, signed as deliveries of webhooks are")
    .requiredOption('--forward <address>', 'the receiver, such as http://127.0.0.1:4801/')
    .option('--types <types>', 'only these event types, separated by commas; default: all')
    .option('--after <id>', 'start after this event; default: from now on')
    .option('--secret-file <path>', 'a file with the signing secret, created if missing; default: a new secret')
    .option('--token-file <path>', 'a file with a partner token')
    .action(async (options: ListenOptions & OutputOptions) =>
      (await import('./webhooks-listen.js')).listen(terminal.config(), options, terminal),
    );
}

/** Adds the operator's commands; `gateway` are the options that name a running gateway and its operator's key. */
export function addWebhookCommands(
  webhooks: Command,
  terminal: Terminal,
  gateway: readonly [OptionText, OptionText],
): void {
  const [url, key] = gateway;
  const records = () => import('./webhook-records.js');
  webhooks
    .command('list')
    .description("List partners' webhooks at a running gateway, newest first")
    .option('--partner <id>', 'only those of this partner')
    .option('--failing', 'only those whose last call has failed')
    .option('--paused', 'only those that an operator has paused')
    .option('--disabled', 'only those that are disabled')
    .option(...url)
    .option(...key)
    .action(async (options: ListOptions & OutputOptions) =>
      terminal.print(await (await records()).listWebhooks(terminal.config(), options), options),
    );
  const one = [
    ['show <id>', 'Show a webhook, and its last attempts with the responses', 'showWebhook'],
    ['pause <id>', 'Pause a webhook: its deliveries wait until it is resumed', 'pauseWebhook'],
    ['resume <id>', 'Resume a webhook: what waits is sent now', 'resumeWebhook'],
  ] as const;
  for (const [name, description, run] of one)
    webhooks
      .command(name)
      .description(description)
      .option(...url)
      .option(...key)
      .action(async (id: string, options: GatewayOptions & OutputOptions) =>
        terminal.print(await (await records())[run](terminal.config(), id, options), options),
      );
}
