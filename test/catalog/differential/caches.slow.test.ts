// Caches do not show: two gateways with caches have the responses of one that reads everything from the store, after writes at random
// through any of them. More rounds, from another seed: SEED=7 ROUNDS=100 npx vitest run test/catalog/differential/caches.slow.test.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogModels } from '../../../src/catalog/rows/models.js';
import { eventually } from '../../support/eventually.js';
import { dice } from '../network.js';
import { recountedState, storedState } from '../admin/admin-store.js';
import { type Gateways, startGateways } from './gateways.js';
import { type Answer, ask, cursorsIn, isSearch, type Question, someQuestion } from './questions.js';
import { firstWrite, pick, type Roll, send, someWrite, type Write } from './writes.js';

const SEED = Number(process.env.SEED ?? 1);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Questions that each round adds; a third of the others is dropped. */
const NEW_QUESTIONS = 25;
/** Caches follow within 200 ms; this is for busy machines. */
const LIMIT_MS = 30_000;
/** Questions that are compared at the same time. */
const AT_ONCE = 12;

let gateways: Gateways;
beforeAll(async () => {
  gateways = await startGateways();
});
afterAll(() => gateways.close());

const isFailed = ({ status, text }: Answer): boolean => status >= 500 || /INTERNAL|VALIDATION_FAILED/.test(text);

/** What differs between a response and that of the store. */
function difference(question: Question, answer: Answer, truth: Answer): string {
  let at = 0;
  while (answer.text[at] === truth.text[at] && at < answer.text.length) at += 1;
  const cut = ({ status, text }: Answer) => `${status} …${text.slice(Math.max(0, at - 200), at + 200)}`;
  return `${JSON.stringify(question)}\nwith caches: ${cut(answer)}\nwithout:     ${cut(truth)}`;
}

/** Asks all gateways. Returns the first difference. */
async function differenceOf(question: Question): Promise<string | undefined> {
  const { cached, uncached } = gateways;
  const truth = await ask(uncached, question);
  let etag: string | null = null;
  for (const gateway of cached) {
    const answer = await ask(gateway, question);
    if (answer.status !== truth.status || answer.text !== truth.text || isFailed(truth))
      return difference(question, answer, truth);
    if (answer.etag === null) continue;
    etag ??= answer.etag;
    if (answer.etag !== etag) return `another etag in another gateway: ${JSON.stringify(question)}`;
    const again = await ask(gateway, question, { 'if-none-match': answer.etag });
    // Another etag: the response was computed anew, at another time.
    if (again.status !== 304 && again.etag === answer.etag)
      return `not 304 for its own etag: ${difference(question, again, answer)}`;
  }
  return undefined;
}

async function compare(question: Question): Promise<void> {
  await eventually(async () => expect(await differenceOf(question)).toBeUndefined(), LIMIT_MS);
  // Now from the caches. Indexes for search follow in each gateway, also in the one without caches.
  if (!isSearch(question)) expect(await differenceOf(question)).toBeUndefined();
}

/** Writes one after the other, or all at once. Reads meanwhile may have older rows, and no error. */
async function writeAndRead(writes: readonly Write[], questions: readonly Question[], roll: Roll): Promise<void> {
  const isSerial = roll(2) === 0;
  const senders = writes.map(() => pick(gateways.all, roll));
  const sent = async (at: number) => send(senders[at] ?? gateways.uncached, writes[at] as Write);
  const writing = isSerial
    ? writes.reduce<Promise<unknown>>((before, _, at) => before.then(() => sent(at)), Promise.resolve())
    : Promise.all(writes.map((_, at) => sent(at)));
  const asked = Array.from({ length: 30 }, () => [pick(gateways.cached, roll), pick(questions, roll)] as const);
  const failed = await Promise.all(asked.map(async ([gateway, question]) => isFailed(await ask(gateway, question))));
  await writing;
  expect(asked.filter((_, at) => failed[at])).toEqual([]);
}

it(`gateways with caches have the responses of one without, after any writes (SEED=${SEED})`, async () => {
  const roll = dice(SEED);
  const models = catalogModels(gateways.database.connection);
  await send(gateways.cached[0], firstWrite(roll));
  let cursors: string[] = [];
  let questions: Question[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const added = Array.from({ length: NEW_QUESTIONS }, () => someQuestion(roll, cursors));
    questions = [...questions.filter(() => roll(3) > 0), ...added];
    const writes = Array.from({ length: 1 + roll(8) }, () => someWrite(roll));
    await writeAndRead(writes, questions, roll);
    for (let at = 0; at < questions.length; at += AT_ONCE)
      await Promise.all(questions.slice(at, at + AT_ONCE).map(compare));
    // Counters, counted anew.
    expect(await storedState(models)).toEqual(await recountedState(models));
    cursors = [...cursors, ...cursorsIn(await ask(gateways.uncached, pick(questions, roll)))].slice(-40);
  }
});
