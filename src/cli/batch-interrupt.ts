// Ctrl-C in `issue-batch`: the gateway continues with the batches it has; prints how to watch and cancel them.
import type { BatchResults } from './batch-results.js';
import type { CliOutput } from './import.js';

/** A shell's exit code of a process that SIGINT ended: 128 and the signal's number. */
export const INTERRUPTED = 130;

/** On an interrupt, saves the results and prints which batches continue. @returns a function that removes the handler. */
export function watchInterrupt(results: BatchResults, output: CliOutput, save: () => void): () => void {
  const interrupt = (): void => {
    try {
      save();
    } finally {
      output.err.write(`${interruptSentence(results)}\n`);
      process.exit(INTERRUPTED);
    }
  };
  process.once('SIGINT', interrupt);
  return () => void process.off('SIGINT', interrupt);
}

/** The message about the batches that continue: those of rows without a result. */
export function interruptSentence(results: BatchResults): string {
  const jobs = new Set([...results.entries()].flatMap(([, { state, job }]) => (state === 'SENT' ? [job] : [])));
  const again = 'The same command continues where this one was';
  if (jobs.size === 0) return `Interrupted. No batch is running at the gateway. ${again}.`;
  const [first = ''] = jobs;
  return `Interrupted. The gateway continues with batch ${[...jobs].join(', ')}. ${again}, and gets the results. To stop it, the gateway's operator runs batch cancel ${first}, or the partner calls cancelBatch.`;
}
