// The commands of the embedded engine and their options.
import type { Command } from 'commander';
import type { EngineResult } from './engine.js';
import { linesReport, type OutputOptions, type Terminal } from './output.js';

/** Adds `engine …`. */
export function addEngineCommands(engine: Command, terminal: Terminal): void {
  const care = async (work: (tools: typeof import('./engine.js'), dataDir: string) => Promise<EngineResult>) =>
    linesReport(await work(await import('./engine.js'), terminal.config().dataDir));
  engine
    .command('backup')
    .description('Copy a snapshot of the data to a new data folder, also while a gateway runs')
    .argument('<folder>')
    .action(async (to: string, options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.backupEngine(dataDir, to)), options),
    );
  engine
    .command('check')
    .description('Read everything and report each fault; exit code 1 if there is any')
    .action(async (options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.checkEngine(dataDir)), options),
    );
  engine
    .command('compact')
    .description('Rewrite the data file without its free pages')
    .action(async (options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.compactEngine(dataDir)), options),
    );
  engine
    .command('dump')
    .description('Write everything below a folder, in the layout of mongodump')
    .argument('<folder>')
    .action(async (to: string, options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.dumpEngine(dataDir, to)), options),
    );
  engine
    .command('restore')
    .description('Read a folder written by dump, or by mongodump without --gzip')
    .argument('<folder>')
    .action(async (from: string, options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.restoreEngine(dataDir, from)), options),
    );
  engine
    .command('stats')
    .description('Say what the bytes of the data file are spent on, also while a gateway runs')
    .action(async (options: OutputOptions) =>
      terminal.print(await care((tools, dataDir) => tools.engineSizes(dataDir)), options),
    );
}
