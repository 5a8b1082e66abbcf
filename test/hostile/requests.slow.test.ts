// Requests of every kind to every operation of openapi.json, by all callers. No response is a 5xx or shows internals,
// and each is as the document says (test/support/documented.setup.ts checks that). A failure names its seed.
// `REQUEST_CASES=20000 REQUEST_SEED=1 npx vitest run test/hostile/requests.slow.test.ts` runs more cases,
// FUZZ_SECONDS=60 runs them for a time, and FUZZ_TALLY=1 prints the statuses of each operation.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printTotal } from '../support/total.js';
import { expectNothingInside, HANG_MS } from './answers.js';
import { HostileWorld } from './hostile-world.js';
import { filled } from './nouns.js';
import { REST_CASES, type RestCase } from './rest-cases.js';
import { sizeOf } from './size.js';
import { Tally } from './tally.js';

const size = sizeOf('REQUEST');
const tally = new Tally();

let world: HostileWorld;
beforeAll(async () => {
  world = await HostileWorld.start();
});
afterAll(async () => {
  await world.close();
  tally.print();
});

/** Requests that may change records that other cases need. */
const HARMFUL = /^(PUT|DELETE|POST) \/v1\/(admin|auth\/logout|holders\/me\/partners)/;

async function play({ operation, caller, method, path, headers, body }: RestCase): Promise<void> {
  await world.prepare();
  const { things } = world;
  const named = Object.entries(headers).map(([name, value]) => [name, filled(value, things)]);
  const answer = await fetch(world.gateway.url + filled(path, things), {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...world.headersOf(caller),
      ...Object.fromEntries(named),
    },
    body: body === undefined ? undefined : filled(body, things),
    signal: AbortSignal.timeout(HANG_MS),
  });
  if (answer.status < 400 && HARMFUL.test(`${method} ${path}`)) world.damage();
  tally.count(method === operation.split(' ')[0] ? operation : 'another method', String(answer.status));
  await check(answer, method);
}

async function check(answer: Response, method: string): Promise<void> {
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return answer.body?.cancel();
  const text = await answer.text();
  expectNothingInside(answer.status, text);
  if (answer.status < 400 || method === 'HEAD') return;
  expect(type).toMatch(/^application\/(problem\+)?json/);
  const error = JSON.parse(text);
  expect(typeof (type.includes('problem') ? error.detail : error.message), text).toBe('string');
}

it(
  `whatever is asked of REST, nothing breaks and nothing of the inside is shown (${size.again})`,
  async ({ task }) => {
    await size.play(REST_CASES, play);
    const [played, right] = [tally.number(/^\d/), tally.number(/^2/)];
    printTotal(task, `generated requests: ${played} to REST, ${right} of them answered with 2xx, all as described`);
  },
  size.timeout,
);
