// configureFailPoint: faults on demand, for tests of drivers and of code above them. Off unless the engine was started with testCommands.
import { type Doc, isDocument } from '../bson/types.js';
import { codeNameOf, fail, MongoError } from '../errors.js';

/** The fault that failCommand injects into a command. */
export interface CommandFault {
  closeConnection: boolean;
  error: MongoError | undefined;
  writeConcernError: Doc | undefined;
  labels: string[] | undefined;
  blockMs: number;
}

interface Failpoint {
  data: Doc;
  /** Remaining times; infinity for alwaysOn. */
  times: number;
  skip: number;
}

const FAIL_POINTS = new Set([
  ...['failCommand', 'failGetMoreAfterCursorCheckout', 'onPrimaryTransactionalWrite'],
  // An extension of this engine: MongoDB does not have it.
  'slowReads',
]);
/** A value that never changes: `Atomics.wait` on it blocks the thread until its timeout. */
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** The failpoints that are on. */
export class Failpoints {
  readonly #allowed: boolean;
  readonly #on = new Map<string, Failpoint>();
  #owedMs = 0;

  constructor(allowed: boolean) {
    this.#allowed = allowed;
  }

  /** Whether failpoints may be set. */
  get allowed(): boolean {
    return this.#allowed;
  }

  /** Sets or clears a failpoint as `configureFailPoint` says. */
  configure(name: string, mode: unknown, data: Doc): void {
    if (!FAIL_POINTS.has(name)) fail('NoSuchKey', `failpoint '${name}' is not known`);
    if (mode === 'off') {
      this.#on.delete(name);
      return;
    }
    const times = isDocument(mode) && mode.times !== undefined ? Number(mode.times) : Number.POSITIVE_INFINITY;
    const skip = isDocument(mode) && mode.skip !== undefined ? Number(mode.skip) : 0;
    this.#on.set(name, { data, times, skip });
  }

  /** The fault for a command, if failCommand applies to it; decrements its times. */
  forCommand(name: string, appName: string | undefined): CommandFault | undefined {
    const point = this.#on.get('failCommand');
    const names = point?.data.failCommands;
    if (!point || !Array.isArray(names) || !names.includes(name)) return undefined;
    if (point.data.appName !== undefined && point.data.appName !== appName) return undefined;
    if (!this.#hit('failCommand', point)) return undefined;
    return faultOf(point.data);
  }

  #hit(name: string, point: Failpoint): boolean {
    if (point.skip > 0) {
      point.skip -= 1;
      return false;
    }
    point.times -= 1;
    if (point.times <= 0) this.#on.delete(name);
    return point.times >= 0;
  }

  /** Delays by `microsecondsPerRow` of slowReads, to simulate a larger store or a slower disk. */
  afterRead(rows: number): void {
    const point = this.#on.get('slowReads');
    if (!point) return;
    this.#owedMs += (rows * Number(point.data.microsecondsPerRow)) / 1_000;
    if (this.#owedMs < 1) return;
    Atomics.wait(NOTHING, 0, 0, this.#owedMs);
    this.#owedMs = 0;
  }

  /** Throws the error of failGetMoreAfterCursorCheckout. */
  afterCursorCheckout(): void {
    const point = this.#on.get('failGetMoreAfterCursorCheckout');
    if (!point || !this.#hit('failGetMoreAfterCursorCheckout', point)) return;
    throw errorOf(point.data) ?? new MongoError(11601, 'Interrupted', 'failGetMoreAfterCursorCheckout');
  }

  /** The fault of onPrimaryTransactionalWrite for a retryable write: `close` closes the connection after it, `error` fails it. */
  atTransactionalWrite(): { close: boolean; error: MongoError | undefined } | undefined {
    const point = this.#on.get('onPrimaryTransactionalWrite');
    if (!point || !this.#hit('onPrimaryTransactionalWrite', point)) return undefined;
    const { closeConnection, failBeforeCommitExceptionCode } = point.data;
    const code = Number(failBeforeCommitExceptionCode);
    const error =
      failBeforeCommitExceptionCode === undefined
        ? undefined
        : new MongoError(code, codeNameOf(code), 'failing before commit');
    return { close: closeConnection !== false, error };
  }
}

function errorOf(data: Doc): MongoError | undefined {
  if (data.errorCode === undefined) return undefined;
  const code = Number(data.errorCode);
  return new MongoError(code, codeNameOf(code), 'Failing command via failpoint');
}

function faultOf(data: Doc): CommandFault {
  return {
    closeConnection: data.closeConnection === true,
    error: errorOf(data),
    writeConcernError: isDocument(data.writeConcernError) ? data.writeConcernError : undefined,
    labels: Array.isArray(data.errorLabels) ? data.errorLabels.map(String) : undefined,
    blockMs: data.blockConnection === true ? Number(data.blockTimeMS ?? 0) : 0,
  };
}
