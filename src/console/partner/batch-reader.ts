// Reads a file of recipients in the worker.
import type { BatchFile } from './batch-file.js';
import type { FromWorker } from './batch-worker.js';

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

/** @throws Error with one sentence if the file is wrong. */
export async function readInWorker(text: string): Promise<BatchFile> {
  const worker = new Worker(workerAddress(), { type: 'module' });
  try {
    return await new Promise<BatchFile>((resolve, reject) => {
      const file: BatchFile = { rows: [], refused: [] };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ('message' in data) return reject(new Error(data.message));
        if ('isWhole' in data) return resolve(file);
        file.rows.push(...data.part.rows);
        file.refused.push(...data.part.refused);
      };
      worker.onerror = () => reject(new Error('The file cannot be read.'));
      worker.postMessage(text);
    });
  } finally {
    worker.terminate();
  }
}
