// The transaction a command belongs to: started, continued or refused by lsid and txnNumber, as MongoDB does.
import { Long } from 'bson';
import { type Doc, toBigInt } from '../bson/types.js';
import type { Engine } from '../engine.js';
import { fail, type MongoError, mongoError } from '../errors.js';
import { type Session, TRANSACTION_SECONDS } from '../sessions/sessions.js';
import { Txn } from '../store/txn.js';
import type { Args } from './args.js';
import type { Command } from './context.js';

const ENDERS = new Set(['commitTransaction', 'abortTransaction']);
/** Databases without transactions. */
const INTERNAL_DATABASES = new Set(['admin', 'config', 'local']);

/** NoSuchTransaction (251) with the label that makes drivers retry the transaction. */
export function noSuchTransaction(session: Session, txnNumber = session.txnNumber): MongoError {
  return mongoError(
    'NoSuchTransaction',
    `Given transaction number ${txnNumber} does not match any in-progress transactions. The active transaction number is ${session.txnNumber}`,
    { labels: ['TransientTransactionError'] },
  );
}

/** The session and transaction of a command. */
export interface Belonging {
  txn: Txn | undefined;
  retryable: boolean;
}

function txnNumberOf(args: Args): bigint | undefined {
  const value = args.get('txnNumber');
  if (value === undefined) return undefined;
  const number = value instanceof Long ? toBigInt(value) : fail('TypeMismatch', 'txnNumber must be a 64-bit integer');
  return number >= 0n ? number : fail('BadValue', 'transaction number cannot be negative');
}

/** Finds or starts the transaction of a command, or begins a retryable write. Throws MongoDB's errors for invalid combinations. */
export function belongingOf(engine: Engine, command: Command, args: Args, session: Session | undefined): Belonging {
  const txnNumber = txnNumberOf(args);
  const inTransaction = args.has('autocommit');
  if (txnNumber === undefined) {
    if (inTransaction || args.has('startTransaction'))
      fail('InvalidOptions', "'autocommit' and 'startTransaction' need a 'txnNumber'");
    return { txn: undefined, retryable: false };
  }
  if (!session) return fail('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  if (!inTransaction) {
    if (ENDERS.has(command.name)) fail('InvalidOptions', `'${command.name}' needs autocommit: false`);
    if (!command.retryable)
      fail(
        50768,
        `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
      );
    session.beginWrite(txnNumber);
    return { txn: undefined, retryable: true };
  }
  if (args.get('autocommit') !== false) fail('InvalidOptions', 'autocommit must be false');
  const db = args.requiredString('$db');
  if (INTERNAL_DATABASES.has(db) && !ENDERS.has(command.name))
    fail('OperationNotSupportedInTransaction', `Cannot run command against the '${db}' database in a transaction.`);
  return { txn: transactionOf(engine, command, args, session, txnNumber), retryable: false };
}

function transactionOf(
  engine: Engine,
  command: Command,
  args: Args,
  session: Session,
  txnNumber: bigint,
): Txn | undefined {
  if (!command.inTransaction) {
    fail('OperationNotSupportedInTransaction', `Cannot run '${command.name}' in a multi-document transaction.`);
  }
  if (args.boolean('startTransaction')) return start(engine, command, args, session, txnNumber);
  if (args.has('readConcern') && args.document('readConcern')?.level !== undefined) {
    fail('InvalidOptions', 'Only the first command in a transaction may specify a readConcern');
  }
  if (txnNumber !== session.txnNumber) {
    session.requireNewEnough(txnNumber);
    throw noSuchTransaction(session, txnNumber);
  }
  if (ENDERS.has(command.name)) return session.txn;
  if (session.state === 'committed')
    fail('TransactionCommitted', `Transaction with { txnNumber: ${txnNumber} } has been committed.`);
  if (!session.txn) throw aborted(session, txnNumber);
  return session.txn;
}

function aborted(session: Session, txnNumber: bigint): MongoError {
  if (session.state !== 'aborted') return noSuchTransaction(session, txnNumber);
  return mongoError('NoSuchTransaction', `Transaction with { txnNumber: ${txnNumber} } has been aborted.`, {
    labels: ['TransientTransactionError'],
  });
}

function start(engine: Engine, command: Command, args: Args, session: Session, txnNumber: bigint): Txn {
  if (ENDERS.has(command.name))
    fail('OperationNotSupportedInTransaction', `Cannot start a transaction with '${command.name}'`);
  requireReadConcern(args.document('readConcern'));
  session.requireNewEnough(txnNumber);
  if (txnNumber === session.txnNumber && session.state !== 'none') {
    fail(
      'ConflictingOperationInProgress',
      `Only servers in a sharded cluster can start a new transaction at the active transaction number`,
    );
  }
  session.startNumber(txnNumber, 'open');
  session.txn = new Txn(engine, engine.snapshot());
  engine.turns.began(session.txn);
  session.expiresAt = Date.now() + TRANSACTION_SECONDS * 1000;
  return session.txn;
}

function requireReadConcern(concern: Doc | undefined): void {
  const level = concern?.level;
  if (level === undefined || level === 'local' || level === 'majority' || level === 'snapshot') return;
  fail(
    'InvalidOptions',
    `The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction`,
  );
}
