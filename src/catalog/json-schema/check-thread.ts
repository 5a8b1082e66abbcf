// The gateway's side of a check worker.
import { LRUCache } from 'lru-cache';
import { compiledFile, QuestionThread } from '../../base/concurrency/question-thread.js';
import { MAX_COMPILED, type CheckQuestion, type CheckReply } from './check-protocol.js';

/** Memory of the worker, in MiB. */
const MAX_MEMORY_MB = 192;

/** The gateway's side of one check worker. */
export class CheckThread extends QuestionThread<CheckQuestion, CheckReply> {
  /** Documents that the worker has compiled. */
  readonly compiled = new LRUCache<string, true>({ max: MAX_COMPILED });

  constructor() {
    super({ file: compiledFile('./check-worker.js', import.meta.url, 'catalog'), maxMemoryMb: MAX_MEMORY_MB });
  }
}
