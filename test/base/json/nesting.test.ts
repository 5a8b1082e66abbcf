// How deep a JSON text is, found without parsing it: as deep as its value is, whatever its strings hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTextDeeperThan } from '../../../src/base/json/nesting.js';

/** Levels of objects and lists. */
function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe('The depth of a JSON text', () => {
  it('the depth of a JSON text is that of its value', () => {
    const strings = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n', 'é') });
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'large', maxDepth: 8 },
        strings,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(strings, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.boolean(), fc.integer({ min: 0, max: 8 }), (each, isPretty, levels) => {
        const text = JSON.stringify(each, null, isPretty ? 1 : 0);
        expect(isTextDeeperThan(text, levels)).toBe(levelsOf(each) > levels);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['', '"', '"\\', '["\\"', ']]]]', '{"a":"'])(
    'the depth of a text that is cut off is found, too: %s',
    (text) => {
      expect(isTextDeeperThan(text, 1)).toBe(false);
    },
  );
});
