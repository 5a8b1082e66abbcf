// The search worker: holds the indexes and answers from them, away from the gateway's event loop.
import { parentPort } from 'node:worker_threads';
import { IndexSet } from './index-set.js';
import type { FromWorker, ToWorker } from './protocol.js';

const indexes = new IndexSet();

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'put') indexes.put(message.kind, message.documents);
  else if (message.type === 'remove') indexes.remove(message.kind, message.ids);
  else if (message.type === 'clear') indexes.clear();
  else parentPort?.postMessage({ id: message.id, groups: indexes.search(message) } satisfies FromWorker);
});
