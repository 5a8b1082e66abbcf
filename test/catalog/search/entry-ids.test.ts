// The ids and numbers of a search index behave like a Map and a list, whatever is added and removed.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EntryIds } from '../../../src/catalog/search/entry-ids.js';

const ids = fc.oneof(
  fc.integer({ min: 0, max: 200 }).map((n) => `entry-${n}`),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const steps = fc.array(fc.record({ id: ids, isRemoval: fc.boolean() }), { maxLength: 600, size: 'max' });

it('each entry has one number, which is not assigned again', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const entries = new EntryIds();
      const numbers = new Map<string, number>();
      let given = 0;
      for (const { id, isRemoval } of all) {
        const number = numbers.get(id);
        if (isRemoval || number !== undefined) {
          expect(entries.remove(id)).toBe(number);
          numbers.delete(id);
        } else {
          expect(entries.add(id)).toBe(given);
          numbers.set(id, given++);
        }
        expect([entries.length, entries.live]).toEqual([given, numbers.size]);
      }
      for (let number = 0; number < given; number += 1) {
        const id = entries.at(number);
        expect(id === undefined ? undefined : numbers.get(id)).toBe(id === undefined ? undefined : number);
      }
      for (const [id, number] of numbers) expect(entries.at(number)).toBe(id);
    }),
    { numRuns: 40 },
  );
});
