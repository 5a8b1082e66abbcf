// The engine with its socket, in this thread.
import { resolve } from 'node:path';
import { rebuildIncompleteIndexes } from './maintenance/rebuild-indexes.js';
import { CommandDispatcher } from './commands/dispatch.js';
import { type EngineOptions, openEngine } from './engine.js';
import { Housekeeping } from './housekeeping.js';
import { prepareFolder } from './store/env.js';
import { type Claim, claimFolder } from './wire/claim.js';
import { isListening, listen, socketPathFor, socketUri } from './wire/listener.js';

/** Options of a serving engine: a `port` (0 for a free one) listens on TCP, otherwise a socket file is used. */
export interface ServeOptions extends EngineOptions {
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default: a file in the data folder. */
  socketPath?: string;
}

/** A running engine. */
export interface RunningEngine {
  /** Connection string for mongoose and the driver. */
  uri: string;
  /** Sentences for the person who started the engine: changes to the folder before it was served, and actions to take. */
  notices: readonly string[];
  /** Stops serving. After it resolves, all acknowledged writes are on disk. */
  close(): Promise<void>;
}

/** Serves a data folder from this thread. Throws DataFolderError with one sentence when the folder cannot be used. */
export async function serveEngine(options: ServeOptions): Promise<RunningEngine> {
  const dataDir = resolve(options.dataDir);
  const claim = await claimed(dataDir);
  try {
    return await serveClaimed({ ...options, dataDir }, claim);
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function serveClaimed(options: ServeOptions, claim: Claim): Promise<RunningEngine> {
  const engine = await openEngine(options);
  try {
    const notices = await rebuildIncompleteIndexes(engine);
    const dispatcher = new CommandDispatcher(engine);
    const socketPath = options.socketPath ?? socketPathFor(options.dataDir);
    const guard = await listen(engine, dispatcher, { socketPath });
    const tcp = options.port === undefined ? undefined : await listen(engine, dispatcher, options);
    const housekeeping = new Housekeeping(engine);
    return {
      uri: (tcp ?? guard).uri,
      notices,
      async close() {
        engine.closing = true;
        await housekeeping.stop();
        await tcp?.close();
        await guard.close();
        await engine.close();
        await claim.release();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Connection string of the engine that serves a data folder, in any process; undefined when none does. */
export async function engineAt(dataDir: string): Promise<string | undefined> {
  const path = socketPathFor(resolve(dataDir));
  return (await isListening(path)) ? socketUri(path) : undefined;
}

/** Claims a folder, and creates it before if it is missing. Throws DataFolderError. */
function claimed(dataDir: string): Promise<Claim> {
  prepareFolder(dataDir);
  return claimFolder(dataDir);
}
