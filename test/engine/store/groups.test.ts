// Groups of writes: writes of many clients at the same time share commits, and acknowledged writes are stored.
import { describe, expect, it } from 'vitest';
import { WriteGroups } from '../../../src/engine/store/groups.js';
import { startTestEngine } from '../support.js';

describe('writes of many clients', () => {
  it('writes of many clients are all stored when they were acknowledged', async () => {
    const at = await startTestEngine();
    try {
      const rows = at.db.collection<{ _id: number }>('c');
      let next = 0;
      const lane = async (): Promise<void> => {
        while (next < 300) {
          const _id = next++;
          await rows.insertOne({ _id });
          expect(await rows.countDocuments({ _id })).toBe(1);
        }
      };
      await Promise.all(Array.from({ length: 32 }, lane));
      expect(await rows.countDocuments({})).toBe(300);
    } finally {
      await at.close();
    }
  });

  it('writes of many clients are counted once they can be read, and not before', async () => {
    const at = await startTestEngine();
    try {
      // The commit of a large document takes long.
      const filler = 'x'.repeat(8_000_000);
      const rows = at.db.collection('c');
      let writing = true;
      const write = async (): Promise<void> => {
        for (let written = 0; written < 8; written += 1) await rows.insertOne({ filler });
        writing = false;
      };
      const read = async (): Promise<void> => {
        while (writing) {
          const counts = [await rows.countDocuments({}), await rows.estimatedDocumentCount()];
          const found = (await rows.find({}, { projection: { _id: 1 } }).toArray()).length;
          expect(found).toBeGreaterThanOrEqual(Math.max(...counts));
        }
      };
      await Promise.all([write(), read(), read(), read()]);
    } finally {
      await at.close();
    }
  });
});

/** Lets the event loop make one turn. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a small write beside two long ones', () => {
  it('a small write beside two long ones ends before they do', async () => {
    const at = await startTestEngine();
    try {
      const names = ['a', 'b'];
      for (const name of names)
        await at.db.collection<{ _id: number }>(name).insertMany(Array.from({ length: 10_000 }, (_, _id) => ({ _id })));
      await at.db.createCollection('c');
      const ends: string[] = [];
      const long = names.map(async (name) => {
        await at.db.collection(name).updateMany({}, { $inc: { n: 1 } });
        ends.push(name);
      });
      for (let turn = 0; turn < 10; turn += 1) await breathe();
      await at.db.collection('c').insertOne({});
      ends.push('small');
      await Promise.all(long);
      expect(ends[0]).toBe('small');
    } finally {
      await at.close();
    }
  });
});

describe('the turn of a write', () => {
  it('a write that waits for a group continues when that group fails', async () => {
    const groups = new WriteGroups();
    groups.joined(new Promise(() => {}));
    await breathe();
    const turn = groups.turn();
    groups.failed();
    await turn;
  });

  it('a write continues if its own group fails before the next turn of the event loop', async () => {
    const groups = new WriteGroups();
    groups.joined(new Promise(() => {}));
    groups.failed();
    await breathe();
    await groups.turn();
  });

  it('a write continues after the flush that it waited for, even if another group is being flushed by then', async () => {
    const groups = new WriteGroups();
    let end = (): void => {};
    groups.joined(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    await breathe();
    const turn = groups.turn();
    groups.joined(new Promise(() => {}));
    await breathe();
    end();
    await turn;
  });
});
