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
});
