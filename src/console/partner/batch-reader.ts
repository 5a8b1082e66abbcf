// Reads a file of recipients in the worker.
import type { BatchField } from '../../common/batch-row.js';
import type { ToWorker } from './batch-worker.js';
import { FileOfParts, type FromWorker, type ReadFile } from './read-file.js';

/** The name of the worker's file. The build inserts it. */
declare const WORKER_FILE: string;

/**
 * The address of the worker. The page's policy allows scripts to create worker addresses only here, and only for this
 * file.
 */
function workerAddress(): string {
  const address = `/console/files/${WORKER_FILE}`;
  const types = (window as { trustedTypes?: { createPolicy(name: string, rules: object): unknown } }).trustedTypes;
  policy ??= types?.createPolicy('console', { createScriptURL: (url: string) => url });
  return (policy as { createScriptURL(url: string): string } | undefined)?.createScriptURL(address) ?? address;
}
let policy: unknown;

/**
 * Reads a file for a credential with these fields. @throws Error with one sentence if the file is wrong.
 */
export async function readInWorker(chosen: File, fields: readonly BatchField[]): Promise<ReadFile> {
  const text = await textOf(chosen);
  const worker = new Worker(workerAddress(), { type: 'module' });
  try {
    return await new Promise<ReadFile>((resolve, reject) => {
      const parts = new FileOfParts();
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        try {
          if (parts.add(data)) resolve(parts.file);
        } catch (error) {
          reject(error);
        }
      };
      worker.onerror = () => reject(new Error('The file cannot be read.'));
      worker.postMessage({ text, fields } satisfies ToWorker);
    });
  } finally {
    worker.terminate();
  }
}

/** @throws Error if the file is not text in UTF-8: a lenient decoder would map different names to the same text. */
async function textOf(chosen: File): Promise<string> {
  const bytes = await chosen.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not text in UTF-8: save it as CSV in UTF-8.');
  }
}
