// The frame's side of the worker that has the keys.
import { connect, type RemoteProxy, WorkerMessenger } from 'penpal';
import { loaded } from '../loaded.js';
import type { VaultMethods } from './vault.js';

/** The name of the worker's file, which is beside the frame's. The bundler inserts it. */
declare const WORKER_FILE: string;

/** The part of Trusted Types that TypeScript's DOM types lack. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string };
}

type Methods<M> = { [K in keyof M]: M[K] };

/** The worker's methods, called from the frame. */
export type RemoteVault = RemoteProxy<Methods<VaultMethods>>;

type Policy = ReturnType<TrustedTypes['createPolicy']>;

const file = (): string => new URL(WORKER_FILE, import.meta.url).href;

/** The page's policy allows only one Trusted Types policy, once; a worker may have to be started again. */
let policy: Policy | undefined;

function workerAddress(): string {
  policy ??= (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('core', { createScriptURL: file });
  return policy?.createScriptURL('') ?? file();
}

/** Starts the worker. @throws CoreServiceError OFFLINE if its code cannot be loaded. */
export async function startVault(partnerId: string): Promise<RemoteVault> {
  const worker = new Worker(workerAddress(), { type: 'module', name: partnerId });
  const connection = connect<Methods<VaultMethods>>({ messenger: new WorkerMessenger({ worker }) });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  try {
    return await loaded(Promise.race([connection.promise, failed]));
  } catch (error) {
    connection.destroy();
    worker.terminate();
    throw error;
  }
}
