// When a client closes its connection, what it asked for stops instead of running to the end.
import { Int32 } from 'bson';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/engine/bson/types.js';
import type { WireClient } from '../../../src/engine/commands/context.js';
import { CommandDispatcher } from '../../../src/engine/commands/dispatch.js';
import { type Engine, openEngine } from '../../../src/engine/engine.js';
import { tempFolder } from '../support.js';

let folder: ReturnType<typeof tempFolder>;
let engine: Engine;
let dispatcher: CommandDispatcher;
const newClient = (): WireClient =>
  ({ id: 1, appName: undefined, address: 'test', closed: false, metadata: undefined }) as WireClient;
const run = (client: WireClient, command: Doc): Promise<Doc> => dispatcher.answer(client, { ...command, $db: 'test' });

beforeEach(async () => {
  folder = tempFolder();
  engine = await openEngine({ dataDir: folder.path });
  dispatcher = new CommandDispatcher(engine);
  const documents = Array.from({ length: 2000 }, (_, n) => ({ n, text: 'x'.repeat(200) }));
  await run(newClient(), { insert: 'c', documents });
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

/** A thousand rows for each document. */
const LONG = [{ $set: { a: { $range: [0, 1000] } } }, { $unwind: '$a' }, { $match: { a: -1 } }];
const never = {
  $expr: { $eq: [{ $size: { $filter: { input: { $range: [0, { $add: ['$n', 2000] }] }, cond: false } } }, 1] },
};

describe('when its client leaves', () => {
  it.each([
    ['an aggregate', { aggregate: 'c', pipeline: LONG, cursor: {} }],
    ['a group', { aggregate: 'c', pipeline: [...LONG, { $group: { _id: null } }], cursor: {} }],
    ['a find', { find: 'c', filter: never }],
    ['a count', { count: 'c', query: never }],
  ])('when its client disconnects, %s stops', async (_, command) => {
    const client = newClient();
    const reply = run(client, command);
    await new Promise((resolve) => setImmediate(resolve));
    client.onClose?.();
    expect(Number((await reply).ok)).toBe(0);
  });

  it('when its client disconnects, the next batch of a pipeline stops, and its cursor is removed', async () => {
    const opened = newClient();
    const { cursor } = await run(opened, { aggregate: 'c', pipeline: LONG, cursor: { batchSize: new Int32(0) } });
    const { id } = cursor as Doc;
    const other = newClient();
    const more = { getMore: id, collection: 'c' };
    const reply = run(other, more);
    await new Promise((resolve) => setImmediate(resolve));
    // The connection that opened the cursor may close: another connection reads the cursor.
    opened.onClose?.();
    expect(other.onClose).toBeDefined();
    other.onClose?.();
    expect(Number((await reply).ok)).toBe(0);
    expect(await run(newClient(), more)).toMatchObject({ codeName: 'CursorNotFound' });
  });

  it('when its client disconnects, a write continues', async () => {
    const client = newClient();
    const reply = run(client, { update: 'c', updates: [{ q: {}, u: { $set: { m: 1 } }, multi: true }] });
    client.onClose?.();
    expect(await reply).toMatchObject({ nModified: new Int32(2000) });
  });
});
