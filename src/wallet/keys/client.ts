// The frame's side of the worker that has the keys.
import { connect, type RemoteProxy, WorkerMessenger } from 'penpal';
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

/** Starts the worker. The page's policy allows only the Trusted Types policy here to create script addresses. */
export function startVault(partnerId: string): Promise<RemoteVault> {
  const file = new URL(WORKER_FILE, import.meta.url).href;
  const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('core', {
    createScriptURL: () => file,
  });
  const worker = new Worker(policy?.createScriptURL('') ?? file, { type: 'module', name: partnerId });
  return connect<Methods<VaultMethods>>({ messenger: new WorkerMessenger({ worker }) }).promise;
}
