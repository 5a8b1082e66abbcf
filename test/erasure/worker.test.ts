// Promises of the work that erases: an erasure that fails is tried again, and holds up no other.
import { randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { chainJobEraser } from '../../src/chain/forget.js';
import { chainModels } from '../../src/chain/models.js';
import { erasureModels } from '../../src/erasure/models.js';
import { erasureWorker, SETTLING_MS } from '../../src/erasure/worker.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { Erasers } from '../../src/store/erasure-port.js';
import { openElections } from '../support/elections.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';

const box = new SealedBox(Buffer.alloc(32, 7));
let connection: Connection;

beforeEach(async () => {
  connection = await mongoose.createConnection(databaseUri(`erasures_${randomUUID().slice(0, 8)}`)).asPromise();
});
afterEach(async () => {
  await connection.dropDatabase();
  await connection.close();
});

it('a failed erasure does not stop the others', async () => {
  const models = erasureModels(connection);
  const rowOf = (_id: string) => ({
    ...{ _id, state: 'erasing' as const, keyName: 'ops', createdAt: new Date(), holderId: `holder of ${_id}` },
    ...{ did: 'did:core:id:x', sealedEmail: box.seal('a@example.org', { what: 'holder-email', whose: _id }) },
  });
  await models.erasures.create([rowOf('1-broken'), rowOf('2-good')]);
  const erasers = new Erasers();
  const failures: unknown[] = [];
  erasers.add({
    erase: async ({ erasureId }) => {
      if (erasureId === '1-broken') throw new Error('it cannot be opened');
    },
  });
  const onError = (error: unknown): void => void failures.push(error);
  const worker = erasureWorker({
    ...openElections(connection),
    models,
    erasers,
    box,
    clock: Date.now,
    onError,
  });
  worker.start();
  const stateOf = async (_id: string) => (await models.erasures.findById(_id).lean())?.state;
  await eventually(async () => expect(await stateOf('2-good')).toBe('settling'));
  await eventually(() => expect(failures).toContainEqual(new Error('it cannot be opened')));
  expect(await stateOf('1-broken')).toBe('erasing');
  await worker.stop();
});

it('if the eraser of one domain fails, those of the others still run', async () => {
  const models = erasureModels(connection);
  const sealedEmail = box.seal('a@example.org', { what: 'holder-email', whose: 'e' });
  const row = { _id: 'e', state: 'erasing' as const, keyName: 'ops', createdAt: new Date(), holderId: 'h', did: 'd' };
  await models.erasures.create({ ...row, sealedEmail });
  const erasers = new Erasers();
  const failures: unknown[] = [];
  const erased: string[] = [];
  erasers.add({ erase: () => Promise.reject(new Error('it takes too long')) });
  erasers.add({ erase: async ({ holderId }) => void erased.push(holderId) });
  const onError = (error: unknown): void => void failures.push(error);
  const worker = erasureWorker({
    ...openElections(connection),
    models,
    erasers,
    box,
    clock: Date.now,
    onError,
  });
  worker.start();
  await eventually(() => expect(failures).toContainEqual(new Error('it takes too long')));
  await worker.stop();
  expect(erased).toContain('h');
  expect((await models.erasures.findById('e').lean())?.state).toBe('erasing');
});

it('an erasure ends with the term of its process without a failure, and continues in the next term', async () => {
  const models = erasureModels(connection);
  const sealedEmail = box.seal('a@example.org', { what: 'holder-email', whose: 'e' });
  const row = { _id: 'e', state: 'erasing' as const, keyName: 'ops', createdAt: new Date(), holderId: 'h', did: 'd' };
  await models.erasures.create({ ...row, sealedEmail });
  const erasers = new Erasers();
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  erasers.add({
    erase: (_holder, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        begin();
      }),
  });
  const failures: unknown[] = [];
  const onError = (error: unknown): void => void failures.push(error);
  const worker = erasureWorker({
    ...openElections(connection),
    models,
    erasers,
    box,
    clock: Date.now,
    onError,
  });
  worker.start();
  await begun;
  await worker.stop();
  expect(failures).toEqual([]);
  expect((await models.erasures.findById('e').lean())?.state).toBe('erasing');
});

it('an erasure whose holder has a chain job after all ends when the job has ended, and deletes it', async () => {
  const models = erasureModels(connection);
  const { jobs } = chainModels(connection);
  const sealedEmail = box.seal('a@example.org', { what: 'holder-email', whose: 'e' });
  const names = { keyName: 'ops', createdAt: new Date(), holderId: 'h', did: 'd', sealedEmail };
  const settled = { state: 'settling' as const, settlingAt: new Date(Date.now() - SETTLING_MS) };
  await models.erasures.create({ _id: 'e', ...names, ...settled });
  // Another gateway has added it between the check for such jobs and the erasure.
  const job = { _id: 'job', kind: 'mint' as const, args: {}, holderId: 'h', createdAt: new Date(), tries: 0 };
  await jobs.create({ ...job, state: 'sent', open: true, attempts: [], story: [] });
  const eraser = chainJobEraser(connection);
  const looks = vi.spyOn(eraser, 'erase');
  const asked = vi.spyOn(eraser, 'isWriting');
  const erasers = new Erasers();
  erasers.add(eraser);
  const failures: unknown[] = [];
  const onError = (error: unknown): void => void failures.push(error);
  const worker = erasureWorker({ ...openElections(connection), models, erasers, box, clock: Date.now, onError });
  const stateOf = async () => (await models.erasures.findById('e').lean())?.state;
  worker.start();
  await eventually(() => expect(asked).toHaveResolvedWith(true));
  expect([await stateOf(), looks.mock.calls]).toEqual(['settling', []]);
  await jobs.updateOne({ _id: 'job' }, { $set: { state: 'confirmed' }, $unset: { open: 1 } });
  await eventually(async () => expect(await stateOf()).toBe('done'));
  await worker.stop();
  expect([await jobs.countDocuments(), failures]).toEqual([0, []]);
});

it('Erasures that are due are found by an index, however many are done', () => {
  const indexes = erasureModels(connection).erasures.schema.indexes();
  expect(indexes.map(([fields]) => fields)).toContainEqual({ state: 1, settlingAt: 1 });
});
