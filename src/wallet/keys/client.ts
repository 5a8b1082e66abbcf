// The frame's side of the worker that has the keys.
import { connect, type RemoteProxy, WorkerMessenger } from 'penpal';
import type { VaultMethods } from './vault.js';

/** The worker's file, beside the frame's; the bundler writes its name here. */
declare const WORKER_FILE: string;

/** What TypeScript's DOM does not have. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string };
}

type Methods<M> = { [K in keyof M]: M[K] };

/** The worker's methods, called from the frame. */
export type RemoteVault = RemoteProxy<Methods<VaultMethods>>;

/** Starts the worker. Its page's policy lets only this policy make addresses of scripts. */
export function startVault(partnerId: string): Promise<RemoteVault> {
  const file = new URL(WORKER_FILE, import.meta.url).href;
  const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('core', {
    createScriptURL: () => file,
  });
  const worker = new Worker(policy?.createScriptURL('') ?? file, { type: 'module', name: partnerId });
  return connect<Methods<VaultMethods>>({ messenger: new WorkerMessenger({ worker }) }).promise;
}
