// The files of batches that this page has sent: the gateway erases addresses and contents as it issues them, so their faults can be corrected here alone.
import type { ReadFile } from '../partner/read-file.js';

/** By the id of the batch, the newest last. They are in the memory of the page alone. */
const files = new Map<string, ReadFile>();
/** A file may have 10,000 rows. */
const MOST = 5;

export const sentFile = (jobId: string): ReadFile | undefined => files.get(jobId);

export function keepSentFile(jobId: string, file: ReadFile): void {
  files.delete(jobId);
  files.set(jobId, file);
  for (const first of [...files.keys()].slice(0, -MOST)) files.delete(first);
}

/** Forgets what the last caller sent. */
export const forgetSentFiles = (): void => files.clear();
