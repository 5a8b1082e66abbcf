// Verifications that expire before anybody fetches them, and programs with long lists, which are stored and never begin.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerTo,
  asVerifier,
  closedOf,
  type Holder,
  holderOf,
  putProgram,
  requestOf,
  startOf,
  startWorld,
  type World,
} from './world.js';

let world: World;
let holder: Holder;
beforeAll(async () => {
  world = await startWorld();
  holder = await holderOf(world, 'ada@example.org');
});
afterAll(() => world?.gateway.close());

const collection = (name: string) => world.gateway.app.connection.collection(name);
/** Lets the time of a verification be over. */
const expire = (id: string) => {
  const past = new Date(Date.now() - 1_000);
  return collection('verifications').updateOne({ _id: id as never }, { $set: { dueAt: past, expiresAt: past } });
};
const TIMEOUT = { state: 'closed', result: { status: 'Non-Compliant' }, reason: 'timeout' };

describe('A verification whose time is over', () => {
  it('an expired verification that nobody has fetched is GONE for every holder, before and after it is closed', async () => {
    const id = await startOf(world);
    const other = await holderOf(world, 'grace@example.org');
    await expire(id);
    const ask = async () => {
      for (const one of [holder, other]) {
        expect((await requestOf(world, one, id)).status).toBe(410);
        expect((await answerTo(world, one, id, { cannot: true })).status).toBe(410);
        expect((await answerTo(world, one, id, { declined: true })).status).toBe(410);
      }
    };
    await ask();
    expect(await closedOf(world, id)).toMatchObject(TIMEOUT);
    await ask();
    const row = await collection('verifications').findOne({ _id: id as never });
    expect(row?.holderKey).toBeUndefined();
  });

  it('an expired verification is unknown to holders other than the one that fetched it', async () => {
    const id = await startOf(world);
    expect((await requestOf(world, holder, id)).status).toBe(200);
    await expire(id);
    const other = await holderOf(world, 'joan@example.org');
    expect((await requestOf(world, other, id)).status).toBe(404);
    expect((await answerTo(world, other, id, { cannot: true })).status).toBe(404);
  });
});

describe('A program', () => {
  it('a program may have lists of any length: 256 country codes can be proven, 257 values cannot', async () => {
    const codes = (count: number) =>
      Array.from({ length: count }, (_, at) => `"${String.fromCharCode(65 + at / 26, 65 + (at % 26))}"`).join(', ');
    const countries = (await putProgram(world, 'lists', [`note in [${codes(256)}]`, `note not in [${codes(20)}]`]))
      .body;
    expect(countries).toMatchObject({ provable: true, unprovable: [] });
    const more = (await putProgram(world, 'lists', [`note in [${codes(257)}]`])).body;
    expect(more).toMatchObject({ provable: false, unprovable: [{ credentialId: 'member', why: 'lists' }] });
    expect(more.acceptedCredentials[0].verificationConditions).toEqual([`note in [${codes(257)}]`]);
    const longest = await putProgram(world, 'lists', [`note in [${codes(600)}]`]);
    expect(longest.body.provable).toBe(false);
    const started = await asVerifier(world, 'POST', '/v1/verifications', { programId: 'lists' });
    expect(started.status).toBe(409);
    const tooLong = putProgram(world, 'lists', [`note in [${codes(700)}]`]);
    await expect(tooLong).rejects.toThrow('must be at most 4096 characters');
  });
});
