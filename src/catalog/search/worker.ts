// The search worker: has the indexes and searches them outside the gateway's event loop.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { IndexSet } from './index-set.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** The indexes that are searched, and those that documents are added to; they differ while new ones are filled. */
let current = new IndexSet();
let filling = current;

/**
 * Frees what the fill has left. Otherwise a thread that then allocates little would keep it: half as much memory again
 * as a large index.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'put') filling.put(message.kind, message.documents);
  else if (message.type === 'remove') filling.remove(message.kind, message.ids);
  else if (message.type === 'fill') filling = new IndexSet();
  else if (message.type === 'filled') {
    filling.prepare();
    current = filling;
    collectGarbage();
  } else parentPort?.postMessage({ id: message.id, groups: current.search(message) } satisfies FromWorker);
});
