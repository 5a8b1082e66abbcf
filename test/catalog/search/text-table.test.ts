// The numbers of texts in the table behave like a list and a Map.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextTable } from '../../../src/catalog/search/text-table.js';

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.string({ unit: 'grapheme', maxLength: 60 }));
const texts = fc.array(text, { maxLength: 400, size: 'max' });

const inOrder = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

it('a text table finds each text under its newest number, and no other', () => {
  fc.assert(
    fc.property(texts, texts, (all, others) => {
      const table = new TextTable();
      const newest = new Map<string, number>();
      for (const [number, each] of all.entries()) {
        expect(table.add(each)).toBe(number);
        newest.set(each, number);
      }
      expect(table.length).toBe(all.length);
      for (const [number, each] of all.entries()) {
        expect(table.at(number)).toBe(each);
        expect(table.charactersOf(number)).toBe([...each].length);
      }
      for (const each of [...all, ...others]) expect(table.numberOf(each)).toBe(newest.get(each));
    }),
  );
});

it('a text table counts the texts before another, in the order of code points', () => {
  fc.assert(
    fc.property(texts, text, fc.nat(), (all, other, some) => {
      const table = new TextTable();
      const numbers = Uint32Array.from(all, (each) => table.add(each)).sort((a, b) => table.compare(a, b));
      const sorted = Array.from(numbers, (number) => table.at(number));
      expect(sorted).toEqual([...all].sort(inOrder));
      const before = all.filter((each) => inOrder(each, other) < 0).length;
      expect(table.countBefore(other, numbers)).toBe(before);
      expect(table.countBefore(other, numbers, Math.min(some, before))).toBe(before);
    }),
  );
});
