// What the event log means to verifications, event by event: a Compliant and the end of its claim may commit at the same moment, and the same
// event may be followed twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StampedEvent } from '../../../src/store/event-port.js';
import {
  answerTo,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  proofFor,
  recordOf,
  startOf,
  startWorld,
  type World,
} from '../world.js';

let world: World;
let holder: Holder;
let credential: HeldCredential;
beforeAll(async () => {
  world = await startWorld();
  holder = await holderOf(world, 'ada@example.org');
});
afterAll(() => world?.gateway.close());

const collection = (name: string) => world.gateway.app.connection.collection(name);
const follow = (type: string, payload: object) =>
  world.gateway.app.services.verificationOutcomes.follow([{ type, payload } as unknown as StampedEvent]);
/** Changes a claim without an event: as a transaction that commits at the same moment is seen. */
const setClaim = (change: object) =>
  collection('issuances').updateOne({ coreClaimHash: credential.coreClaimHash }, { $set: change });

/** A proved verification whose proof is on the chain, as far as is stored. */
async function anchored(): Promise<string> {
  credential = await issueTo(world, holder);
  const id = await startOf(world);
  await answerTo(world, holder, id, await proofFor(world, holder, credential, id));
  const place = { chainId: 31_337, registry: '0x03', kind: 2, root: '0x02', leaf: '0x04', proof: [] };
  const anchor = { ...place, transactionHash: '0x01', blockNumber: 5, confirmedAt: new Date() };
  await collection('verifications').updateOne({ _id: id as never }, { $set: { anchor, anchoredAt: new Date() } });
  return id;
}

const lapsesOf = (id: string) =>
  collection('events').countDocuments({ type: 'verification_lapsed', 'payload.verificationId': id });

it('A claim that comes onto the chain after its proof makes it Compliant, once', async () => {
  const id = await anchored();
  await setClaim({ anchoredAt: new Date() });
  const event = { coreClaimHash: credential.coreClaimHash };
  await Promise.all([follow('anchored', event), follow('anchored', event)]);
  expect(await recordOf(world, id)).toMatchObject({ result: { status: 'Compliant', transactionHash: '0x01' } });
  const closed = { type: 'verification_closed', 'payload.verificationId': id };
  expect(await collection('events').countDocuments(closed)).toBe(1);
  expect(await collection('nullifiers').findOne({ credentialId: 'member' })).toMatchObject({ count: 1 });

  // The claim had been revoked by then, unseen: its event came first, and found no Compliant one.
  await setClaim({ revokedAt: new Date(), live: false });
  const told = { status: 'Compliant', coreClaimHash: credential.coreClaimHash };
  await follow('verification_closed', told);
  await follow('verification_closed', told);
  expect(await recordOf(world, id)).toMatchObject({ result: { status: 'Compliant' }, current: 'Revoking' });
  expect(await lapsesOf(id)).toBe(1);

  await setClaim({ removedAt: new Date() });
  await follow('removed', { coreClaimHash: credential.coreClaimHash });
  expect((await recordOf(world, id)).current).toBe('Revoked');
  expect(await lapsesOf(id)).toBe(1);
});

it('A claim that ended while its proof was checked ends the verification when its event is followed', async () => {
  const id = await anchored();
  await setClaim({ revokedAt: new Date(), live: false });
  await follow('verification_proved', { verificationId: id });
  expect(await recordOf(world, id)).toMatchObject({ state: 'closed', result: { status: 'Revoked' } });
});

it('An expiry that was reported by a clock ahead of ours counts', async () => {
  const id = await anchored();
  const soon = new Date(Date.now() + 60_000);
  await setClaim({ expiresAt: soon, expiredAt: soon, live: false });
  await follow('expired', { coreClaimHash: credential.coreClaimHash });
  expect(await recordOf(world, id)).toMatchObject({ state: 'closed', result: { status: 'Expired' } });
});
