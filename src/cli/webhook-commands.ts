// The command `webhooks listen` and its options.
import type { Command } from 'commander';
import type { OutputOptions, Terminal } from './output.js';
import type { ListenOptions } from './webhooks-listen.js';

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
