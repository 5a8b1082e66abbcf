// How fast processes that end are started anew.
import { describe, expect, it } from 'vitest';
import { RestartDelays } from '../../../src/process/workers/kept-process.js';

describe('A process that ends again and again', () => {
  it('is started anew ever later, at least every 10 s', () => {
    const delays = new RestartDelays();
    const told = Array.from({ length: 8 }, () => delays.after(1_000));
    expect(told).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('is started anew at once after it has served for a while', () => {
    const delays = new RestartDelays();
    for (let end = 0; end < 5; end += 1) delays.after(1_000);
    expect(delays.after(60_000)).toBe(250);
  });
});
