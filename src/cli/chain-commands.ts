// The commands of the chain and their options.
import type { Command } from 'commander';
import type { VerifyOptions } from './anchor.js';
import type { JobsOptions } from './chain.js';
import type { OutputOptions, Terminal } from './output.js';

/** Adds `chain …` and `anchor verify`. */
export function addChainCommands(cli: Command, terminal: Terminal): void {
  const chain = cli.command('chain').description('The chain that credentials are anchored on');
  chain
    .command('deploy')
    .description('Deploy missing contracts; does nothing if none is missing')
    .action(async (options: OutputOptions) =>
      terminal.print(await (await import('./chain.js')).deployContracts(terminal), options),
    );
  chain
    .command('allow')
    .description('Allow another relayer key to write to the contracts; run it before you change the key')
    .argument('<address>')
    .action(async (address: string, options: OutputOptions) =>
      terminal.print(await (await import('./chain.js')).allowRelayer(terminal, address), options),
    );
  chain
    .command('reset')
    .description('Reset the devnet to an empty chain; every transaction is sent again')
    .action(async (options: OutputOptions) =>
      terminal.print(await (await import('./chain.js')).resetDevnet(terminal.config()), options),
    );
  chain
    .command('resume')
    .description("Continue sending after the relayer's key was used elsewhere")
    .action(async (options: OutputOptions) =>
      terminal.print(await (await import('./chain.js')).resumeSender(terminal), options),
    );
  chain
    .command('jobs')
    .description('The newest 100 jobs')
    .option('--failed', 'only failed jobs')
    .option('--retry <jobId>', 'send a failed job again')
    .option('--give-up <jobId>', 'abandon a job that is not mined')
    .action(async (options: JobsOptions & OutputOptions) =>
      terminal.print(await (await import('./chain.js')).chainJobs(terminal, options), options),
    );
  cli
    .command('anchor')
    .description('Proofs on the chain')
    .command('verify')
    .description('Check on the chain whether a claim is anchored; exit code 1 if it is not')
    .argument('<coreClaimHash>')
    .option('--rpc <address>', 'any node of the chain; default: CHAIN_RPC_URL, else the devnet')
    .option('--url <address>', 'the gateway; default: the one of DATA_DIR, else the one at HOST:PORT')
    .action(async (hash: string, options: VerifyOptions & OutputOptions) =>
      terminal.print(await (await import('./anchor.js')).verifyAnchor(terminal.config(), hash, options), options),
    );
}
