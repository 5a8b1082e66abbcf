// The search worker: holds the indexes and answers from them, away from the gateway's event loop.
import { parentPort } from 'node:worker_threads';
import { IndexSet } from './index-set.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** What answers, and what is put into: not the same while new indexes are filled. */
let answering = new IndexSet();
let filling = answering;

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'put') filling.put(message.kind, message.documents);
  else if (message.type === 'remove') filling.remove(message.kind, message.ids);
  else if (message.type === 'fill') filling = new IndexSet();
  else if (message.type === 'filled') answering = filling;
  else parentPort?.postMessage({ id: message.id, groups: answering.search(message) } satisfies FromWorker);
});
