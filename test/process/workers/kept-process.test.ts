// How soon processes that end are started again.
import { describe, expect, it } from 'vitest';
import { RestartDelays } from '../../../src/process/workers/kept-process.js';

describe('A process that ends again and again', () => {
  it('a process that ends again and again is restarted after growing delays of at most 10 s', () => {
    const delays = new RestartDelays();
    const told = Array.from({ length: 8 }, () => delays.after(1_000));
    expect(told).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('a process is restarted at once after it has served for a while', () => {
    const delays = new RestartDelays();
    for (let end = 0; end < 5; end += 1) delays.after(1_000);
    expect(delays.after(60_000)).toBe(250);
  });
});
