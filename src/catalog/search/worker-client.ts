// The gateway's side of the search worker: sends documents and searches, and matches replies to searches.
import { Worker } from 'node:worker_threads';
import { DomainError } from '../../base/errors.js';
import type { FromWorker, SearchDocument, SearchKind, SearchRequest, ToWorker } from './protocol.js';

type FoundGroups = FromWorker['groups'];

interface PendingSearch {
  resolve(groups: FoundGroups): void;
  reject(error: Error): void;
}

/**
 * The young generation of the heap, for arriving messages; the index itself is in arrays. By default, V8 would reserve
 * four times as much.
 */
const YOUNG_MB = 12;

/** The worker is always the compiled file: Node cannot run the source that tests import. */
function workerFile(): URL {
  const here = new URL('./worker.js', import.meta.url);
  return new URL(here.href.replace('/src/catalog/', '/dist/catalog/'));
}

/** The gateway's side of the search worker. */
export class SearchWorker {
  #worker: Worker | undefined;
  readonly #pending = new Map<number, PendingSearch>();
  /** Called when the worker has ended. */
  onEnd: () => void = () => {};
  #lastId = 0;

  /** Whether there is a worker. One that has failed (out of memory, for example) has lost its indexes. */
  get alive(): boolean {
    return this.#worker !== undefined;
  }

  put(kind: SearchKind, documents: SearchDocument[]): void {
    if (documents.length > 0) this.#send({ type: 'put', kind, documents });
  }

  remove(kind: SearchKind, ids: string[]): void {
    if (ids.length > 0) this.#send({ type: 'remove', kind, ids });
  }

  /** Starts new indexes, in a new worker if there is none. The old ones are searched until `filled`. */
  fill(): void {
    this.#worker ??= this.#start();
    this.#send({ type: 'fill' });
  }

  /** Searches use the new indexes from now on. */
  filled(): void {
    this.#send({ type: 'filled' });
  }

  /**
   * Searches the indexes, with everything sent before. @throws DomainError STORE_UNAVAILABLE while there is no worker.
   */
  search(request: Omit<SearchRequest, 'id'>): Promise<FoundGroups> {
    if (!this.alive) return Promise.reject(unavailable());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ type: 'search', id, ...request });
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerFile(), { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    worker.unref();
    worker.on('message', ({ id, groups }: FromWorker) => {
      this.#pending.get(id)?.resolve(groups);
      this.#pending.delete(id);
    });
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => this.#fail());
    return worker;
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #fail(cause?: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(unavailable(cause));
    this.#pending.clear();
    this.onEnd();
  }
}

const unavailable = (cause?: Error): DomainError =>
  new DomainError('STORE_UNAVAILABLE', 'Search is not available right now; try again shortly.', {}, { cause });
