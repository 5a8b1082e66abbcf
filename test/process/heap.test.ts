// How large a heap may become before it is collected.
import { describe, expect, it } from 'vitest';
import { heapGrowth } from '../../src/process/heap.js';

const MB = 2 ** 20;

describe('a heap may grow', () => {
  it.each([
    [30, 150],
    [60, 150],
    [75, 100],
    [100, 50],
    [120, 40],
    [1_000, 40],
  ])('a heap with %i MB in use may grow by %i percent', (used, percent) => {
    expect(heapGrowth(used * MB)).toBe(percent);
  });

  it.each([
    [18, 400],
    [50, 400],
    [100, 150],
    [125, 100],
    [200, 40],
    [1_000, 40],
  ])('a heap with %i MB in use may grow by %i percent while its process is busy', (used, percent) => {
    expect(heapGrowth(used * MB, true)).toBe(percent);
  });
});
