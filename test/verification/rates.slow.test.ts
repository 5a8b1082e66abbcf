// The rates of starts and checks (partners) and of answers (holders), and how many requests may wait for a result. The clock stands still, so
// everything happens in one minute, and the store deletes no counts, however long that takes. It is 280 s ahead: tokens live for 300, and may end
// in 900 at most.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { VerificationWaits } from '../../src/verification/records/waits.js';
import { answerTo, asVerifier, holderOf, PROGRAM, requestOf, startOf, startWorld, type World } from './world.js';

const NOW = Date.now() + 280_000;
/** Requests at the same time. */
const AT_ONCE = 20;
/** How many of the 600 attempts really start a verification; the others name an unknown program, which is quicker. */
const STARTED = Number(process.env.STARTED_VERIFICATIONS ?? 80);

let world: World;
beforeAll(async () => {
  world = await startInOneMinute();
});
afterAll(() => world?.gateway.close());

async function startInOneMinute(): Promise<World> {
  const world = await startWorld({ clock: () => NOW });
  await world.gateway.app.connection.collection('rateLimits').dropIndex('expiresAt_1');
  return world;
}

/** Sends `count` requests, and counts the responses by status. */
async function statusesOf(count: number, ask: () => Promise<{ status: number }>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let asked = 0; asked < count; asked += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - asked) }, ask));
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

it('A partner may start 600 verifications in a minute', async () => {
  const start = (programId: string) => () => asVerifier(world, 'POST', '/v1/verifications', { programId });
  // Failed attempts count too, so most requests here fail.
  expect(await statusesOf(600 - STARTED, start('unknown'))).toEqual({ 404: 600 - STARTED });
  expect(await statusesOf(STARTED + 5, start(PROGRAM))).toEqual({ 201: STARTED, 429: 5 });
});

it('A partner may check 60 proofs in a minute', async () => {
  const check = () => asVerifier(world, 'POST', '/v1/verifications/check', { zkProof: 'AA' });
  expect(await statusesOf(65, check)).toEqual({ 400: 60, 429: 5 });
});

it('A holder may answer 30 times in ten minutes; an answer that is refused with an error is not counted', async () => {
  // A world of its own: the partner of the other one has used up its starts.
  const world = await startInOneMinute();
  onTestFinished(() => world.gateway.close());
  const who = await holderOf(world, 'often@example.org');
  const answers: number[] = [];
  for (let at = 0; at < 32; at += 1) {
    const id = await startOf(world);
    await requestOf(world, who, id);
    if (at === 0) for (let bad = 0; bad < 5; bad += 1) await answerTo(world, who, id, { presentation: 'A' });
    answers.push((await answerTo(world, who, id, { declined: true })).status);
  }
  expect(answers).toEqual([...Array.from({ length: 30 }, () => 200), 429, 429]);
});

describe('Requests that wait for a result', () => {
  const seconds = 60;
  const read = async (): Promise<string> => 'open';
  const isWaitedFor = (): boolean => true;
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };

  it.each([
    ['100 of one caller', 1, 110, 100],
    ['2,000 of a process', 30, 100, 2_000],
  ])('waiting requests are limited: %s; further ones get their response at once', async (_, callers, each, most) => {
    const waits = new VerificationWaits();
    let answered = 0;
    const all = Array.from({ length: callers * each }, async (_each, at) => {
      await waits.until({ id: `${at}`, caller: `${at % callers}`, seconds }, read, isWaitedFor);
      answered += 1;
    });
    await turns();
    expect(answered).toBe(callers * each - most);
    waits.end();
    await Promise.all(all);
  });
});
