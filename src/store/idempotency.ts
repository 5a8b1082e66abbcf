// Idempotency keys (contract §1, 422): a repeated request gets the first response, for 24 hours. Of the body only a keyed hash is stored,
// and the response is sealed.
import { randomUUID } from 'node:crypto';
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose';
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { DomainError, type ErrorCode, type ErrorData, toDomainError } from '../base/errors.js';
import { native } from '../base/mongodb/native.js';
import { digest, type SealedBox } from '../keys/sealed-box.js';
import type { ErasedHolder } from './erasure-port.js';
import { readInPieces } from './pieces.js';
import type { ProcessLease } from './process-lease.js';

interface IdempotencyRow {
  /** Hash over caller, route and key. */
  _id: string;
  bodyHash: string;
  /** The response; absent while the first request is in progress. */
  sealedAnswer?: string;
  /** Random id of the request that claimed the key. A request releases only its own claim. */
  claim: string;
  /** Lease of the process that handles the first request: without a response, the request is in progress while the lease holds. */
  process: string;
  expiresAt: Date;
}

const row = new Schema<IdempotencyRow>(
  {
    _id: { type: String, required: true },
    bodyHash: { type: String, required: true },
    sealedAnswer: String,
    claim: { type: String, required: true },
    process: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'idempotencyKeys', versionKey: false },
);
row.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

type KeyClaim = Pick<IdempotencyRow, '_id' | 'claim' | 'process'>;

export interface IdempotencyModels {
  idempotencyKeys: Model<IdempotencyRow>;
}

/** Registers the model on a connection. */
export function idempotencyModels(connection: Connection): IdempotencyModels {
  return { idempotencyKeys: connection.model<IdempotencyRow>('IdempotencyKey', row) };
}

/** The member of inputs that is the header field `idempotency-key` in REST. */
export const idempotencyKey = z
  .string()
  .optional()
  .describe('For 24 hours, requests with the same key get the first response again.');

/** A request with a key. */
export interface IdempotentCall {
  caller: Caller;
  /** The operation, the same for REST and GraphQL. */
  route: string;
  key: string | undefined;
  body: unknown;
}

/**
 * Stores the response in the transaction of the change. If the process is then killed, either a repeated request gets
 * the response, or nothing was changed.
 */
export type Remember<T> = (response: T, session: ClientSession) => Promise<void>;

type RecordedResponse = { value: unknown } | { error: { code: ErrorCode; message: string; data: ErrorData } };

const MAX_KEY = 255;
const RETENTION_MS = 24 * 3_600_000;
/** Responses that an erasure reads at once. */
const SEALED_ROWS = 200;

/** Runs requests with an idempotency key once, and stores their responses. */
export class Idempotency {
  constructor(
    private readonly models: IdempotencyModels,
    private readonly box: SealedBox,
    private readonly lease: ProcessLease,
    private readonly clock: () => number,
  ) {}

  /**
   * Runs the work once for a key: later requests get the first 2xx or 4xx response. Without a key the work just runs.
   * Work that calls `remember` in its transaction is done once even if this process is killed between the transaction
   * and its response.
   * @throws DomainError BAD_USER_INPUT (key), IDEMPOTENCY_KEY_REUSED (another body), CONFLICT with Retry-After (in progress).
   */
  async run<T>(call: IdempotentCall, work: (remember: Remember<T>) => Promise<T>): Promise<T> {
    const { key } = call;
    if (key === undefined) return work(async () => {});
    if (key === '' || key.length > MAX_KEY)
      throw new DomainError('BAD_USER_INPUT', `"idempotency-key" must have 1 to ${MAX_KEY} characters.`, {
        field: 'idempotency-key',
      });
    const _id = digest(JSON.stringify([ownerOf(call.caller), call.route, key]));
    const body = JSON.stringify(call.body ?? null);
    const own = { _id, claim: randomUUID(), process: await this.lease.id() };
    const earlier = await this.#claim(own, body);
    if (earlier) return replay(earlier) as T;
    return this.#first(own, work);
  }

  /**
   * Deletes the responses that name an erased holder; the same requests then run again. A response that no key opens any
   * more may name it: it is deleted too, but its key stays in use. An `Eraser`.
   */
  async erase({ holderId, did, email }: ErasedHolder, signal: AbortSignal): Promise<void> {
    const { idempotencyKeys } = this.models;
    const names = [holderId, did, email].map((name) => name.toLowerCase());
    const options = { signal, fields: ['sealedAnswer'], size: SEALED_ROWS } as const;
    for await (const rows of readInPieces<IdempotencyRow>(idempotencyKeys, WITH_RESPONSE, options))
      for (const { _id, sealedAnswer = '' } of rows) {
        const context = { what: 'idempotent-answer', whose: _id } as const;
        if (!this.box.opens(sealedAnswer, context)) {
          await idempotencyKeys.updateOne({ _id }, { $unset: { sealedAnswer: 1 } });
          continue;
        }
        const response = this.box.unsealText(sealedAnswer, context).toLowerCase();
        if (names.some((name) => response.includes(name))) await idempotencyKeys.deleteOne({ _id });
      }
  }

  /** Claims the key, or returns the stored response. */
  async #claim(own: KeyClaim, body: string): Promise<RecordedResponse | undefined> {
    const { _id, claim, process } = own;
    const bodyHash = this.box.blindIndex('idempotency-body', body);
    const expiresAt = new Date(this.clock() + RETENTION_MS);
    try {
      const fresh = { ...own, bodyHash, expiresAt };
      await this.#orRelease(own, () => native(this.models.idempotencyKeys).insertOne(fresh));
      return undefined;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const stored = await this.models.idempotencyKeys.findById(_id).lean<IdempotencyRow>();
    if (!stored) return this.#claim(own, body);
    if (!this.box.blindIndexes('idempotency-body', body).includes(stored.bodyHash))
      throw new DomainError('IDEMPOTENCY_KEY_REUSED', 'This idempotency-key was used before with another body.', {
        field: 'idempotency-key',
      });
    if (stored.sealedAnswer !== undefined)
      return JSON.parse(
        this.box.unsealText(stored.sealedAnswer, { what: 'idempotent-answer', whose: _id }),
      ) as RecordedResponse;
    if (!(await this.lease.holds(stored.process))) {
      const free = { _id, process: stored.process, ...WITHOUT_RESPONSE };
      const change = { $set: { process, claim } };
      const { modifiedCount } = await this.#orRelease(own, () => this.models.idempotencyKeys.updateOne(free, change));
      if (modifiedCount === 1) return undefined;
    }
    throw inProgress();
  }

  async #first<T>(own: KeyClaim, work: (remember: Remember<T>) => Promise<T>): Promise<T> {
    const { _id } = own;
    let isStored = false;
    const remember: Remember<T> = async (value, session) => {
      isStored = await this.#store(_id, { value }, session);
      // This process's lease has ended, and another request has completed the work: committing now would do it twice.
      if (!isStored) throw inProgress();
    };
    try {
      const value = await work(remember);
      if (!isStored) await this.#store(_id, { value });
      return value;
    } catch (thrown) {
      const error = toDomainError(thrown);
      const refusal = { code: error.code, message: error.message, data: error.data };
      // The gateway's failures, rate limits and temporary errors may be retried under the same key.
      const isTemporary = error.status >= 500 || error.status === 429 || error.data.retryAfter !== undefined;
      if (isTemporary) await this.#release(own);
      else await this.#orRelease(own, () => this.#store(_id, { error: refusal }));
      throw thrown;
    }
  }

  /** Releases the key. If that fails, gives up this process's whole lease, which releases the key as well. */
  async #release(own: KeyClaim): Promise<void> {
    await this.models.idempotencyKeys
      .deleteOne({ ...own, ...WITHOUT_RESPONSE })
      .catch(() => this.lease.renounce(own.process));
  }

  /**
   * Releases the key if the write fails: the write may have been applied, although the request ends with an error.
   * @throws the write's error.
   */
  async #orRelease<T>(own: KeyClaim, write: () => PromiseLike<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isDuplicateKey(error)) await this.#release(own);
      throw error;
    }
  }

  /** Stores a response. Returns whether it did: an existing response is not replaced. */
  async #store(_id: string, response: RecordedResponse, session?: ClientSession): Promise<boolean> {
    const sealedAnswer = this.box.seal(JSON.stringify(response), { what: 'idempotent-answer', whose: _id });
    const change = { $set: { sealedAnswer } };
    const { modifiedCount } = await this.models.idempotencyKeys.updateOne({ _id, ...WITHOUT_RESPONSE }, change, {
      session,
    });
    return modifiedCount === 1;
  }
}

/** Selects rows with a response. */
const WITH_RESPONSE = { sealedAnswer: { $exists: true } } as const;
/** Selects rows without a response. */
const WITHOUT_RESPONSE = { sealedAnswer: { $exists: false } } as const;

function inProgress(): DomainError {
  const sentence = 'The first request with this idempotency-key is still in progress.';
  return new DomainError('CONFLICT', sentence, { retryAfter: 2 });
}

function replay(response: RecordedResponse): unknown {
  if ('value' in response) return response.value;
  const { code, message, data } = response.error;
  throw new DomainError(code, message, data);
}

function ownerOf(caller: Caller): string {
  if (caller.kind === 'partner') return `partner ${caller.partnerId}`;
  if (caller.kind === 'operator') return `operator ${caller.keyName}`;
  return caller.kind === 'holder' ? `holder ${caller.holderId}` : caller.kind;
}
