// One run of the command line, as a function of its arguments and its terminal.
import { CommanderError } from 'commander';
import { sentenceOf, type Terminal } from './output.js';
import { program } from './program.js';

/** Runs a command; a failure is printed as one sentence. Returns the exit code. @param args the arguments after the program's name. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: 'user' });
  } catch (error) {
    // Help, the version, or a fault in the arguments; already printed.
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode;
      const isFault = error.exitCode !== 0 && error.code !== 'commander.help';
      if (isFault && args.includes('--json'))
        terminal.out.write(`${JSON.stringify({ error: sentenceOf(error.message).replace(/^error: /, '') })}\n`);
    } else {
      const { failureSentence } = await import('../process/failure.js');
      terminal.fail(failureSentence(error), { json: args.includes('--json') });
    }
  }
  return terminal.exitCode;
}
