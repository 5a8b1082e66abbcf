// A thousand answers at once: what waits is bounded, the rest is told to come again and has spent nothing, and another partner gets in.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toDomainError } from '../../src/base/errors.js';
import type { RestAnswer } from '../support/gateway.js';
import { registerPartner } from '../support/partner.js';
import {
  answerTo,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  type Proof,
  proofFor,
  type Reach,
  recordOf,
  startOf,
  startWorld,
  type World,
} from './world.js';

const ANSWERS = 1_000;
const VERIFICATIONS = 25;
/** A holder may answer 30 times in ten minutes. */
const OF_HOLDER = 5;
/** A thousand bodies of at most 64 KiB, twice, and the proof workers that start meanwhile. */
const MAX_GROWTH = 256 * 1024 * 1024;

interface Prepared {
  id: string;
  who: Holder;
  proof: Proof;
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.gateway.close());

async function prepared(reach: Reach, who: Holder, credential: HeldCredential): Promise<Prepared> {
  const id = await startOf(reach);
  return { id, who, proof: await proofFor(reach, who, credential, id) };
}

async function preparedOf(reach: Reach, name: string, count: number): Promise<Prepared[]> {
  const who = await holderOf(reach, `${name}@example.org`);
  const credential = await issueTo(reach, who);
  const all: Prepared[] = [];
  for (let at = 0; at < count; at += 1) all.push(await prepared(reach, who, credential));
  return all;
}

/** The function of both APIs: a thousand sockets of one process are another matter. Returns the error's code, or what was decided. */
async function sender({ id, proof }: Prepared): Promise<() => Promise<string>> {
  const { services, connection } = world.gateway.app;
  const row = await connection.collection('verifications').findOne({ _id: id as never });
  const session = { sessionId: 's', expiresAt: Date.now() + 3_600_000 };
  const caller = { kind: 'holder' as const, holderId: row?.holderId, partnerId: row?.partnerId, ...session };
  return async () => {
    try {
      return (await services.verificationAnswers.answer(caller, id, proof)).result.status;
    } catch (error) {
      return toDomainError(error).code;
    }
  };
}

it('A thousand concurrent answers are accepted or refused as busy, and another partner gets its turn', async () => {
  const mine: Prepared[] = [];
  for (let holder = 0; holder < VERIFICATIONS / OF_HOLDER; holder += 1)
    mine.push(...(await preparedOf(world, `busy-${holder}`, OF_HOLDER)));
  const other = { ...world, partner: await registerPartner(world.gateway, [world.issuerDid]) };
  const [theirs] = await preparedOf(other, 'other', 1);
  if (theirs === undefined) throw new Error('there is no other verification');
  const senders = await Promise.all(mine.map(sender));

  const before = process.memoryUsage().rss;
  const flood = Array.from({ length: ANSWERS }, (_, at) => senders[at % VERIFICATIONS]?.());
  const first = Promise.race(flood);
  // A slow machine's store may have no connection free in time: that is another limit than the verifier's.
  const theirAnswer = async (): Promise<RestAnswer> => {
    const answer = await answerTo(other, theirs.who, theirs.id, theirs.proof);
    return String(answer.body.message).startsWith('The store does not respond') ? theirAnswer() : answer;
  };
  const meanwhile = first.then(theirAnswer);
  const answers = await Promise.all(flood);
  expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
  expect(await meanwhile).toMatchObject({ status: 200, body: { result: { status: 'Pending' } } });

  const count = (code: string): number => answers.filter((answer) => answer === code).length;
  // How many depends on how fast the store is beside the worker.
  expect(count('VERIFIER_BUSY')).toBeGreaterThan(0);
  expect(count('Pending')).toBeGreaterThan(0);
  // Its verification is being answered by another of the thousand, or was; or the holder's 30 answers are used up; or a slow machine's store
  // had no connection free in time.
  const told = ['VERIFIER_BUSY', 'Pending', 'CONFLICT', 'RATE_LIMITED', 'STORE_UNAVAILABLE'];
  expect(answers.filter((answer) => !told.includes(answer ?? ''))).toEqual([]);

  // What was refused has spent nothing: each is proved, or takes its answer now.
  const states = async () => Promise.all(mine.map(async ({ id }) => (await recordOf(world, id)).state));
  expect((await states()).filter((state) => state === 'proved')).toHaveLength(count('Pending'));
  for (const [at, state] of (await states()).entries())
    if (state === 'open') expect(await senders[at]?.()).toBe('Pending');
});
