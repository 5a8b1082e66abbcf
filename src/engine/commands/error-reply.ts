// Errors as replies: ok 0 with MongoDB's code, codeName and labels.
import { Double, Int32 } from 'bson';
import type { Doc } from '../bson/types.js';
import { MongoError } from '../errors.js';
import type { Command } from './context.js';

/** Codes after which the same retryable write may be sent again (the server's own list). */
const RETRYABLE = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** Codes after which the whole transaction may be retried: LockTimeout, WriteConflict, the errors of snapshots, and NoSuchTransaction. */
const TRANSIENT = new Set([24, 112, 239, 246, 251, 267]);
const RETRIED_ENDERS = new Set(['commitTransaction', 'abortTransaction']);

/** The reply for an error of a command. An unexpected one is InternalError (1), with its message but no stack. */
export function errorReply(error: unknown, body: Doc, command: Command | undefined): Doc {
  if (!(error instanceof MongoError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: new Double(0), errmsg: message, code: new Int32(1), codeName: 'InternalError' };
  }
  const { fixedLabels, ...extra } = error.extra;
  const labels = fixedLabels ? error.labels : labelsOf(error, body, command);
  return {
    ok: new Double(0),
    errmsg: error.message,
    code: new Int32(error.code),
    codeName: error.codeName,
    ...extra,
    ...(labels.length > 0 ? { errorLabels: labels } : {}),
  };
}

function labelsOf(error: MongoError, body: Doc, command: Command | undefined): string[] {
  const inTransaction = body.autocommit === false;
  const ender = RETRIED_ENDERS.has(command?.name ?? '');
  const labels = error.labels.filter((label) => inTransaction || label !== 'TransientTransactionError');
  // After a retryable error in a commit or abort, the driver retries that command instead.
  const transient = TRANSIENT.has(error.code) || (!ender && RETRYABLE.has(error.code));
  if (inTransaction && transient) labels.push('TransientTransactionError');
  const retryable = (body.txnNumber !== undefined && !inTransaction) || ender;
  if (retryable && RETRYABLE.has(error.code)) labels.push('RetryableWriteError');
  return [...new Set(labels)];
}
