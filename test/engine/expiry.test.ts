// Expiring documents are deleted only by an index that still exists, in the collection that it belongs to.
import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../src/engine/bson/types.js';
import { CommandDispatcher } from '../../src/engine/commands/dispatch.js';
import { type Engine, openEngine } from '../../src/engine/engine.js';
import { TtlMonitor } from '../../src/engine/ttl.js';
import { tempFolder } from './support.js';

const EXPIRED = new Date(0);

describe('a pass over expired documents', () => {
  const folder = tempFolder();
  let engine: Engine;
  afterEach(async () => {
    await engine.close();
    folder.remove();
  });

  it('a pass over expired documents spares a new collection with the name of a former one', async () => {
    engine = await openEngine({ dataDir: folder.path });
    const dispatcher = new CommandDispatcher(engine);
    const run = async (command: Doc): Promise<Doc> => {
      const reply = await dispatcher.answer({ address: 'test' } as never, { ...command, $db: 'test' });
      expect(Number(reply.ok), JSON.stringify(reply)).toBe(1);
      return reply;
    };
    const indexes = [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 1 }];
    for (const name of ['a', 'z']) {
      await run({ insert: name, documents: Array.from({ length: 5_000 }, (_, _id) => ({ _id, at: EXPIRED })) });
      await run({ createIndexes: name, indexes });
    }
    const pass = new TtlMonitor(engine).run();
    await run({ drop: 'z' });
    await run({ insert: 'z', documents: [{ _id: 'new', at: EXPIRED }] });
    await pass;
    expect(Number((await run({ count: 'a' })).n)).toBe(0);
    expect(Number((await run({ count: 'z' })).n)).toBe(1);
  });
});
