// The times of tokens: 30 seconds of tolerance for each claim, and not a moment more.
import { describe, expect, it } from 'vitest';
import { isMadeNow, type TokenTimes, timeFault } from '../../src/common/token-times.js';

const NOW_S = 1_800_000_000;
const NOW = NOW_S * 1_000;

describe('The times of a token', () => {
  it.each<[string, TokenTimes]>([
    ['without any', {}],
    ['that ended 29 seconds ago', { exp: NOW_S - 29 }],
    ['that begins in 30 seconds', { nbf: NOW_S + 30 }],
    ['that was made 30 seconds ahead', { iat: NOW_S + 30 }],
    ['that was made long ago', { iat: 0, nbf: 0, exp: NOW_S + 1 }],
    ['with fractions of seconds', { iat: NOW_S - 0.5, exp: NOW_S + 0.25 }],
  ])('are good %s', (_name, times) => {
    expect(timeFault(times, NOW)).toBeUndefined();
  });

  it.each<[string, TokenTimes, object]>([
    ['that ended 30 seconds ago', { exp: NOW_S - 30 }, { claim: 'exp', fault: 'over' }],
    ['that begins in 31 seconds', { nbf: NOW_S + 31 }, { claim: 'nbf', fault: 'ahead' }],
    ['that was made 31 seconds ahead', { iat: NOW_S + 31 }, { claim: 'iat', fault: 'ahead' }],
    ['whose time is a text', { exp: `${NOW_S + 60}` }, { claim: 'exp', fault: 'no number' }],
    ['whose time is null', { nbf: null }, { claim: 'nbf', fault: 'no number' }],
    ['whose time is no finite number', { iat: Number.NaN }, { claim: 'iat', fault: 'no number' }],
    ['that is over and ahead: the end comes first', { nbf: NOW_S + 99, exp: 0 }, { claim: 'exp', fault: 'over' }],
  ])('are not good %s', (_name, times, fault) => {
    expect(timeFault(times, NOW)).toEqual(fault);
  });

  it('of a proof may be as far from now as its kind allows, in both directions', () => {
    const made = (seconds: number) => isMadeNow(NOW_S + seconds, NOW, 60);
    expect([made(-60), made(60), made(-61), made(61)]).toEqual([true, true, false, false]);
  });
});
