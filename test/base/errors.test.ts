// What the driver throws, as callers see it: a store that is away or full is 503, however the driver has wrapped that.
import { MongoServerError } from 'mongodb';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { INTERNAL_MESSAGE, toDomainError } from '../../src/base/errors.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';

describe('a failure of the store', () => {
  it('a store that becomes unreachable during a bulk write is 503', async () => {
    const proxy = await openCutProxy(databaseUri(`test_bulk_${process.pid}`));
    // A busy store may not be found in that time.
    const connection = await eventually(() =>
      mongoose.createConnection(proxy.uri, { serverSelectionTimeoutMS: 2_000 }).asPromise(),
    );
    const rows = connection.collection('rows');
    await rows.insertOne({ first: true });
    proxy.hold();
    const writing = rows.bulkWrite([{ insertOne: { document: { second: true } } }]).catch((error: unknown) => error);
    await proxy.close();
    const failure = await writing;
    expect(failure).toMatchObject({ name: 'MongoBulkWriteError' });
    expect(toDomainError(failure)).toMatchObject({ code: 'STORE_UNAVAILABLE', data: { retryAfter: 2 } });
    await connection.close();
  });

  it.each([
    ['the disk is full', 14_031, 60],
    ['the server ends', 11_600, 2],
    ['the server is no longer the primary', 10_107, 2],
    ['the server took longer than it was given', 50, 2],
    ['a cursor ended with its server', 43, 2],
    ['a plan was killed', 175, 2],
    ['a cursor was killed', 237, 2],
    ['the majority is not known yet', 134, 2],
    ['a transaction could not be decided', 282, 2],
    ['another write came first', 112, 2],
    ['a snapshot is gone', 246, 2],
    ['a transaction took too long', 290, 2],
    ['the server sheds load', 462, 2],
  ])("the store's failure is 503 when %s", (_what, code, retryAfter) => {
    const error = toDomainError(new MongoServerError({ message: 'in the words of the server', code }));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', data: { retryAfter } });
    expect(error.message).not.toContain('words of the server');
  });

  it.each(['SystemOverloadedError', 'TransientTransactionError', 'RetryableWriteError'])(
    'a failure that the server marks as temporary (%s) is 503, whatever its code',
    (label) => {
      const error = toDomainError(new MongoServerError({ message: 'busy', code: 424_242, errorLabels: [label] }));
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', data: { retryAfter: 2 } });
    },
  );

  it.each(['EPIPE', 'ECONNRESET'])('a connection that is cut while the driver writes (%s) is 503', (code) => {
    // As the driver hands it on when the store is killed: an error of the operating system, with no name of the driver's around it.
    const error = toDomainError(Object.assign(new Error(`write ${code}`), { code, syscall: 'write' }));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', data: { retryAfter: 2 } });
  });

  it('another connection that was cut is no failure of the store', () => {
    const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    expect(toDomainError(new TypeError('fetch failed', { cause })).code).toBe('INTERNAL_SERVER_ERROR');
  });

  it('every other failure is 500, without internal details', () => {
    const error = toDomainError(new MongoServerError({ message: 'a bad command', code: 2 }));
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: INTERNAL_MESSAGE });
  });
});
