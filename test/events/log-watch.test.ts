// The operator is told when the event log stands still, and when it moves again, whatever the wall clock says.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Problems } from '../../src/base/monitoring/problems.js';
import { LogWatch, MAX_WAIT_MS } from '../../src/events/log-watch.js';
import { eventModels } from '../../src/events/models.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase(eventModels);
});
afterAll(() => database.close());

it('readiness reports an event that waits for its number for over 10 s, until it has one', async () => {
  const models = eventModels(database.connection);
  const lines: string[] = [];
  const note = (_facts: object, sentence: string): void => void lines.push(sentence);
  const problems = new Problems({ warn: note, info: note } as never);
  let now = 0;
  const watch = new LogWatch({ models, problems, clock: () => now });
  // Its own time is a day ahead: a clock that was set back since.
  const at = new Date(Date.now() + 86_400_000);
  await models.events.collection.insertOne({
    type: 'stored',
    viewers: {},
    payload: {},
    channels: [],
    at,
    pending: true,
  } as never);
  await watch.look();
  now = MAX_WAIT_MS;
  await watch.look();
  expect(problems.list()).toEqual([]);
  for (now = MAX_WAIT_MS + 1; now < MAX_WAIT_MS + 4; now += 1) await watch.look();
  expect(problems.list()).toEqual([expect.stringContaining('makes no progress')]);
  await models.events.updateMany({}, { $unset: { pending: 1 }, $set: { seq: 1 } });
  await watch.look();
  expect(problems.list()).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('makes no progress'), expect.stringContaining('works again')]);
});
