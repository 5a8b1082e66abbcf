// The engine in a worker thread: serves the data folder of its parent's options, and sends the parent its address or the reason of a failure.
import { parentPort, workerData } from 'node:worker_threads';
import { type ServeOptions, serveEngine } from './server.js';
import { DataFolderError } from './store/folder-error.js';

/** A message of the worker to its parent. */
export type WorkerMessage =
  | { kind: 'ready'; uri: string; notices: readonly string[] }
  | { kind: 'failed'; code: string | undefined; message: string }
  | { kind: 'closed' };

async function run(options: ServeOptions): Promise<void> {
  const say = (message: WorkerMessage): void => parentPort?.postMessage(message);
  try {
    const engine = await serveEngine(options);
    parentPort?.once('message', () => {
      void engine.close().then(() => {
        say({ kind: 'closed' });
        parentPort?.close();
      });
    });
    say({ kind: 'ready', uri: engine.uri, notices: engine.notices });
  } catch (error) {
    const code = error instanceof DataFolderError ? error.code : undefined;
    say({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) });
    parentPort?.close();
  }
}

void run(workerData);
