// Refusals that leave one after the other.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusals } from '../../../src/http/callers/refusals.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Refusals', () => {
  it('refusals are sent in order, at most 200 a second, however fast they arrive', () => {
    const refusals = new Refusals();
    const left: number[] = [];
    for (let at = 0; at < 500; at += 1) refusals.add(() => left.push(at));
    expect(left).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(left).toEqual(Array.from({ length: 200 }, (_, at) => at));
    vi.advanceTimersByTime(2_000);
    expect(left.length).toBe(500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('up to 1,000 refusals wait', () => {
    const refusals = new Refusals();
    const taken = Array.from({ length: 1_002 }, () => refusals.add(() => {}));
    expect(taken.filter(Boolean).length).toBe(1_000);
    vi.advanceTimersByTime(5);
    expect(refusals.add(() => {})).toBe(true);
  });
});
