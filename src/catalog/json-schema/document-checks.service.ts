// Checks subjects against JSON Schema documents in a worker thread, which the first check starts. Documents are
// untrusted: neither a document nor a subject may block the process. Documents are served in rotation, so a slow one
// delays a check of another document by one check at most.
import { Limit } from '../../base/concurrency/limit.js';
import { badInput, badSubject, DomainError } from '../../base/errors.js';
import { ThreadEnded } from '../../base/concurrency/question-thread.js';
import { CheckThread } from './check-thread.js';

/** A document, and the hash of its content, which is its cache key. */
export interface CheckedDocument {
  contentHash: string;
  /** JSON text. */
  document: string;
}

/** Computing time for one check of a subject. */
const CHECK_MS = 1_000;
/** Time to compile a document, once in a worker. */
const COMPILE_MS = 5_000;
/** How long a check may wait for its turn. */
const WAIT_MS = 10_000;

/** In the form of holders' ids. */
const SAMPLE_ID = '4NyXJcPrM4F4uf7UvhzyBrDR45zAZQuimx2SBBW6Yk';

/** Checks subjects against JSON Schema documents in a worker thread. */
export class DocumentChecks {
  #thread: CheckThread | undefined;
  #isClosed = false;
  /** Keys are documents. */
  readonly #limit = new Limit({ atOnce: 1, maxWaitMs: WAIT_MS, refusal: () => unavailable() });

  /** @param didPrefix of holders' DIDs. */
  constructor(private readonly didPrefix = 'did:core:id:testnet:') {}

  /**
   * Checks a subject, which has the holder's DID as `id`.
   * @throws DomainError BAD_USER_INPUT naming the invalid field, or when the check takes more than a second; CONFLICT for a document that
   * cannot be used; STORE_UNAVAILABLE when it waits too long for its turn.
   */
  async check(document: CheckedDocument, subject: Record<string, unknown>): Promise<void> {
    const misfit = await this.#inTurn(document.contentHash, async (thread) => {
      const reason = await compile(thread, document);
      if (reason !== undefined) throw new DomainError('CONFLICT', `Nothing can be issued under this schema. ${reason}`);
      const reply = await thread.ask({ ask: 'check', key: document.contentHash, subject }, CHECK_MS);
      return reply.is === 'checked' ? reply.misfit : undefined;
    }).catch(asRefusal);
    if (misfit === undefined) return;
    const field = ['credentialSubject', misfit.path].filter(Boolean).join('.');
    throw badSubject(`"${field}" ${misfit.message}, says the schema's document.`, field);
  }

  /**
   * Why nothing could be issued under a new document, in one sentence; undefined if something can. @throws DomainError
   * STORE_UNAVAILABLE.
   */
  async faultOf(document: CheckedDocument): Promise<string | undefined> {
    const did = this.didPrefix + SAMPLE_ID;
    return this.#inTurn(document.contentHash, (thread) => compile(thread, document, did)).catch((error: unknown) => {
      if (!(error instanceof ThreadEnded) || error.step !== 'compile') throw error;
      if (error.reason === 'starved') throw unavailable();
      return TOO_COSTLY;
    });
  }

  /** Ends the worker; a running check fails. */
  async close(): Promise<void> {
    this.#limit.close();
    this.#isClosed = true;
    await this.#thread?.end();
  }

  #inTurn<T>(key: string, work: (thread: CheckThread) => Promise<T>): Promise<T> {
    return this.#limit.run(() => this.#attempt(work), { key });
  }

  /** Runs on the current thread, or a new one. A thread that fails is replaced once: other documents may have filled its memory. */
  async #attempt<T>(work: (thread: CheckThread) => Promise<T>, attempt = 1): Promise<T> {
    if (this.#isClosed) throw unavailable();
    this.#thread ??= new CheckThread();
    try {
      return await work(this.#thread);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      this.#thread = undefined;
      if (error.reason !== 'broken' || attempt > 1) throw error;
      return this.#attempt(work, attempt + 1);
    }
  }
}

/** Compiles the document if the thread does not have it, or to try a DID with it. Returns why it cannot be used. */
async function compile(
  thread: CheckThread,
  { contentHash: key, document }: CheckedDocument,
  did?: string,
): Promise<string | undefined> {
  if (thread.compiled.get(key) && did === undefined) return undefined;
  const reply = await thread.ask({ ask: 'compile', key, document, did }, COMPILE_MS);
  if (reply.is === 'compiled' && reply.reason !== undefined) return reply.reason;
  thread.compiled.set(key, true);
  return undefined;
}

const TOO_COSTLY = 'The document takes too much time or memory to be compiled.';

/** @throws the error for a check that ended its thread. */
function asRefusal(error: unknown): never {
  if (!(error instanceof ThreadEnded)) throw error;
  if (error.reason === 'starved') throw unavailable();
  if (error.step === 'start') throw error.reason === 'late' ? unavailable() : error;
  if (error.step === 'compile')
    throw new DomainError('CONFLICT', `Nothing can be issued under this schema. ${TOO_COSTLY}`);
  const cost = error.reason === 'late' ? `more than ${CHECK_MS / 1_000} s` : 'too much memory';
  throw badInput(`"credentialSubject" takes ${cost} to check against the schema's document.`, 'credentialSubject');
}

const unavailable = (): DomainError =>
  new DomainError('STORE_UNAVAILABLE', 'Subjects cannot be checked right now; try again shortly.', { retryAfter: 2 });
