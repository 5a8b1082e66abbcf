// Groups of writes: what many clients write at once shares commits, and is there when it was acknowledged.
import { describe, expect, it } from 'vitest';
import { startTestEngine } from '../support.js';

describe('writes of many clients', () => {
  it('are all there when they were acknowledged', async () => {
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

  it('are counted once they can be read, and not before', async () => {
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
