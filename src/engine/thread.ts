// The engine in a thread of its own, for programs that only start it: nothing here loads the engine or lmdb.
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { RunningEngine, ServeOptions } from './server.js';
import { DataFolderError, type FolderFault } from './store/folder-error.js';
import type { WorkerMessage } from './worker.js';

/** The built worker, also if this file runs from the sources (tests): a worker thread needs JavaScript. */
function workerUrl(): URL {
  const beside = new URL('./worker.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../dist/engine/worker.js', import.meta.url);
}

/**
 * Serves a data folder from a worker thread. Throws DataFolderError with one sentence when the folder cannot be used.
 * If the thread ends unexpectedly later, the process ends with an uncaught error, so that its supervisor restarts it.
 */
export function startEngine(options: ServeOptions): Promise<RunningEngine> {
  const worker = new Worker(workerUrl(), { workerData: options });
  return new Promise((resolve, reject) => {
    let onEnd: (error: Error) => void = reject;
    worker.once('error', (error) => onEnd(error));
    worker.once('exit', (code) => onEnd(new Error(`The engine's worker thread ended with code ${code}.`)));
    const close = (): Promise<void> => {
      onEnd = () => {};
      return stop(worker);
    };
    worker.once('message', (message: WorkerMessage) => {
      if (message.kind === 'failed') reject(failure(message));
      if (message.kind !== 'ready') return;
      onEnd = (error) => {
        throw error;
      };
      resolve({ uri: message.uri, notices: message.notices, close });
    });
  });
}

function failure({ code, message }: { code: string | undefined; message: string }): Error {
  return code === undefined ? new Error(message) : new DataFolderError(code as FolderFault, message);
}

function stop(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.postMessage('close');
  });
}
