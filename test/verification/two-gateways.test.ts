// Two gateways on one store: whichever is asked, a verification has one holder, one challenge and one answer, and its result is waited for anywhere.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUri, type RestAnswer, startGateway, type TestGateway } from '../support/gateway.js';
import {
  answerTo,
  asVerifier,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  PROGRAM,
  proofFor,
  putProgram,
  recordOf,
  requestOf,
  startOf,
  startWorld,
  type World,
} from './world.js';

let first: World;
let second: World;
let gateway: TestGateway;
let holder: Holder;
let credential: HeldCredential;
beforeAll(async () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
  first = await startWorld({ env });
  gateway = await startGateway({ env });
  second = { ...first, gateway };
  holder = await holderOf(first, 'ada@example.org');
  credential = await issueTo(first, holder);
});
afterAll(async () => {
  await gateway?.app.close();
  await first?.gateway.close();
});

const rows = () => first.gateway.app.connection.collection('verifications');
const statusesOf = (answers: RestAnswer[]): number[] => answers.map(({ status }) => status).sort();
const start = (world: World, body: object = {}) =>
  asVerifier(world, 'POST', '/v1/verifications', { programId: PROGRAM, ...body });

it('A partner starts on one, the holder answers on the other, and the first is woken with the result', async () => {
  const id = await startOf(first);
  const waiting = recordOf(first, id, 30);
  await requestOf(second, holder, id);
  expect((await answerTo(second, holder, id, { declined: true })).status).toBe(200);
  expect(await waiting).toMatchObject({ state: 'closed', result: { status: 'Non-Compliant' }, reason: 'declined' });
});

it('One proof that is sent to both gateways at once is accepted once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const id = await startOf(first);
    const proof = await proofFor(second, holder, credential, id);
    const answers = await Promise.all([first, second].map((world) => answerTo(world, holder, id, proof)));
    expect(statusesOf(answers)).toEqual([200, 409]);
    const events = await first.gateway.app.connection
      .collection('events')
      .find({ type: 'verification_proved', 'payload.verificationId': id })
      .toArray();
    expect(events).toHaveLength(1);
  }
});

it('Of two holders that fetch the request at once, one becomes its holder', async () => {
  const other = await holderOf(first, 'other@example.org');
  const id = await startOf(first);
  const answers = await Promise.all([requestOf(first, holder, id), requestOf(second, other, id)]);
  expect(statusesOf(answers)).toEqual([200, 404]);
});

it('A named holder has one waiting verification of a program, started anywhere', async () => {
  const named = { userId: holder.userId };
  const answers = await Promise.all([start(first, named), start(second, named), start(first, named)]);
  expect(statusesOf(answers)).toEqual([200, 200, 201]);
  expect(new Set(answers.map(({ body }) => body.verificationId)).size).toBe(1);
  const id = answers[0]?.body.verificationId;
  await answerTo(first, holder, id, await proofFor(second, holder, credential, id));
  // Pending: still the one that is waited for.
  expect((await start(second, named)).body.verificationId).toBe(id);
});

it('An idempotency-key starts one, whichever gateway is asked again', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const once = await asVerifier(first, 'POST', '/v1/verifications', { programId: PROGRAM }, key);
  const again = await asVerifier(second, 'POST', '/v1/verifications', { programId: PROGRAM }, key);
  expect([again.status, again.body]).toEqual([201, once.body]);
});

it('The last use of a program is one, though two proofs come at once', async () => {
  await putProgram(first, 'last', ['level = 3'], { maxPerHolder: 1 });
  const ids = [await startOf(first, { programId: 'last' }), await startOf(second, { programId: 'last' })];
  const proofs = await Promise.all(ids.map((id) => proofFor(first, holder, credential, id)));
  await Promise.all(ids.map((id, at) => answerTo(at === 0 ? first : second, holder, id, proofs[at] ?? {})));
  const records = await Promise.all(ids.map((id) => recordOf(first, id)));
  expect(records.map(({ reason }) => reason).sort()).toEqual(['no_chain', 'repeat']);
  const uses = first.gateway.app.connection.collection('programUses');
  expect(await uses.findOne({ programId: 'last' })).toMatchObject({ taken: 1, compliant: 0 });
});

it('A holder has one nullifier, whichever gateway makes it', async () => {
  const ids = [await startOf(first), await startOf(second)];
  for (const [at, id] of ids.entries()) {
    const world = at === 0 ? first : second;
    await answerTo(world, holder, id, await proofFor(world, holder, credential, id));
  }
  const records = await Promise.all(ids.map((id) => recordOf(first, id)));
  expect(records[0].nullifier).toMatch(/^[0-9a-f]{64}$/);
  expect(records[1].nullifier).toBe(records[0].nullifier);
  expect(await first.gateway.app.connection.collection('nullifierKeys').countDocuments()).toBe(1);
});

it('A leased verification is open again after the lease is over', async () => {
  const id = await startOf(first);
  const proof = await proofFor(first, holder, credential, id);
  const lease = (ms: number) =>
    rows().updateOne({ _id: id as never }, [{ $set: { check: { token: 'dead', until: { $add: ['$$NOW', ms] } } } }]);
  await lease(20_000);
  for (const body of [proof, { declined: true }]) expect((await answerTo(second, holder, id, body)).status).toBe(409);
  expect(await recordOf(first, id)).toMatchObject({ state: 'open', result: { status: 'Pending' } });
  await lease(-1);
  expect((await answerTo(second, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
});

it('A verdict of a process that has lost its lease is void', async () => {
  // Ranges take the longest to check.
  await putProgram(first, 'slow', ['level > 1', 'since > 2000-01-01']);
  /** A verification whose check is stolen while it runs, and its first answer; undefined: the check was faster. */
  const stolen = async () => {
    const id = await startOf(first, { programId: 'slow' });
    const proof = await proofFor(first, holder, credential, id);
    let isChecked = false;
    const answering = answerTo(first, holder, id, proof).finally(() => {
      isChecked = true;
    });
    const taken = { _id: id as never, 'check.token': { $exists: true } };
    while (!isChecked)
      if (await rows().findOneAndUpdate(taken, { $set: { 'check.token': 'stolen' } }))
        return { id, proof, answer: await answering };
    return undefined;
  };
  let found = await stolen();
  while (found === undefined) found = await stolen();
  const { id, proof, answer } = found;
  expect(answer.status).toBe(503);
  expect(await recordOf(first, id)).toMatchObject({ state: 'open' });
  await rows().updateOne({ _id: id as never }, { $unset: { check: 1 } });
  expect((await answerTo(second, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
});
