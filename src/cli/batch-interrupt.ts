// Ctrl-C in `issue-batch`: the gateway goes on with what was sent, and its user learns how to look and how to stop it.
import type { BatchResults } from './batch-results.js';
import type { CliOutput } from './import.js';

/** Of a shell, for a process that SIGINT ended: 128 and the signal's number. */
const INTERRUPTED = 130;

/** Saves and says what goes on when the user interrupts. @returns what ends the watch. */
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

/** What the gateway still does, by the batches of rows without a result. */
export function interruptSentence(results: BatchResults): string {
  const jobs = new Set([...results.entries()].flatMap(([, { state, job }]) => (state === 'SENT' ? [job] : [])));
  const again = 'The same command continues where this one was';
  if (jobs.size === 0) return `Interrupted. Nothing is under way at the gateway. ${again}.`;
  const [first = ''] = jobs;
  return `Interrupted. The gateway goes on with batch ${[...jobs].join(', ')}. ${again}, and gets the results. Its operator sees it with batch list, and stops it with batch cancel ${first}.`;
}
