// The gateway's side of the search worker: sends documents, asks and matches answers to questions.
import { Worker } from 'node:worker_threads';
import type { FromWorker, SearchDocument, SearchKind, SearchRequest, ToWorker } from './protocol.js';

type Groups = FromWorker['groups'];

interface Waiting {
  resolve(groups: Groups): void;
  reject(error: Error): void;
}

/** The worker is always the compiled file: Node cannot run the source that tests import. */
function workerFile(): URL {
  const here = new URL('./worker.js', import.meta.url);
  return new URL(here.href.replace('/src/catalog/', '/dist/catalog/'));
}

export class SearchWorker {
  readonly #worker = new Worker(workerFile());
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', ({ id, groups }: FromWorker) => {
      this.#waiting.get(id)?.resolve(groups);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the search worker has ended')));
  }

  put(kind: SearchKind, documents: SearchDocument[]): void {
    if (documents.length > 0) this.#send({ type: 'put', kind, documents });
  }

  remove(kind: SearchKind, ids: string[]): void {
    if (ids.length > 0) this.#send({ type: 'remove', kind, ids });
  }

  clear(): void {
    this.#send({ type: 'clear' });
  }

  /** Answers after everything that was sent before. */
  search(request: Omit<SearchRequest, 'id'>): Promise<Groups> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ type: 'search', id, ...request });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
