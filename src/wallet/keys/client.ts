// The frame's side of the worker that has the keys.
import { connect, type RemoteProxy, WorkerMessenger } from 'penpal';
import { inTime, loaded } from '../loaded.js';
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

/** How long the worker may take for a call; and for one that may load the library of proofs, 2.4 MB, and prove. Milliseconds. */
const CALL_MS = 60_000;
const PROOF_MS = 300_000;
const OF_PROOFS: ReadonlySet<string | symbol> = new Set<keyof VaultMethods>(['prove', 'loadProver']);

/** The worker's methods, each with a deadline: a worker that has died says nothing. */
const withDeadlines = (vault: RemoteVault): RemoteVault =>
  new Proxy(vault, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const ms = OF_PROOFS.has(name) ? PROOF_MS : CALL_MS;
      return (...args: unknown[]) => inTime(ms, (method as (...args: unknown[]) => Promise<unknown>)(...args));
    },
  });

/** Starts the worker. @throws CoreServiceError OFFLINE if its code cannot be loaded. */
export async function startVault(partnerId: string): Promise<RemoteVault> {
  const worker = new Worker(workerAddress(), { type: 'module', name: partnerId });
  const connection = connect<Methods<VaultMethods>>({ messenger: new WorkerMessenger({ worker }) });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  try {
    return withDeadlines(await loaded(Promise.race([connection.promise, failed])));
  } catch (error) {
    connection.destroy();
    worker.terminate();
    throw error;
  }
}
