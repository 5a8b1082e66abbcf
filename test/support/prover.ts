// Creates and verifies proofs in a thread of its own, as a holder's device would. Proofs take seconds on a busy
// machine, and a gateway in the same thread would not respond meanwhile.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ProofSecrets, ProofTerms, Proven } from '../../src/zk/index.js';

const LIBRARY = pathToFileURL(resolve('dist/zk/index.js')).href;
const THREAD = `
const { parentPort } = require('node:worker_threads');
const loaded = import(${JSON.stringify(LIBRARY)}).then(async (zk) => ({ zk, suite: await zk.loadSuite() }));
parentPort.on('message', async ({ port, method, args }) => {
  try {
    const { zk, suite } = await loaded;
    const [terms, ...others] = args;
    const value = method === 'prove' ? suite.prove(terms, ...others) : suite.verify(terms, others[0], zk.decodePresentation(others[1]));
    port.postMessage({ value });
  } catch (error) {
    port.postMessage({ error });
  }
});`;

let thread: Worker | undefined;

async function call<T>(method: string, ...args: unknown[]): Promise<T> {
  if (thread === undefined) {
    thread = new Worker(THREAD, { eval: true });
    thread.unref();
  }
  const { port1, port2 } = new MessageChannel();
  thread.postMessage({ port: port2, method, args }, [port2 as never]);
  const [{ value, error }] = await once(port1 as never, 'message');
  port1.close();
  if (error !== undefined) throw error;
  return value;
}

/** Proves terms. @throws Error with a sentence that says why it cannot. */
export const prove = (terms: ProofTerms, secrets: ProofSecrets): Promise<Proven> => call('prove', terms, secrets);

/** Whether a presentation proves its terms under a public key. */
export const verify = (terms: ProofTerms, publicKey: Uint8Array, presentation: string): Promise<boolean> =>
  call('verify', terms, publicKey, presentation);
