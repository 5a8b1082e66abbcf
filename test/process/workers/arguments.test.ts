// The command line of the gateway.
import { describe, expect, it } from 'vitest';
import { workersOf } from '../../../src/process/workers/arguments.js';
import { runProcess } from '../../support/process.js';

describe('The command line', () => {
  it('the command line runs one process by default', () => {
    expect(workersOf([])).toBeUndefined();
  });

  it.each(['--help', '-h'])('the command line is explained by %s', async (option) => {
    const { code, out, err } = await runProcess({ PORT: 'none' }, { args: [option] });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^ {2}--workers N /m);
  });

  it.each([
    [['--workers', '1'], 1],
    [['--workers', '64'], 64],
    [['--workers=8'], 8],
  ])('the command line sets the number of workers: %j', (argv, count) => {
    expect(workersOf(argv)).toBe(count);
  });

  it.each([
    [['--workers'], '--workers must be a whole number from 1 to 64.'],
    [['--workers='], '--workers must be a whole number from 1 to 64, not .'],
    [['--workers', '0'], '--workers must be a whole number from 1 to 64, not 0.'],
    [['--workers', '65'], '--workers must be a whole number from 1 to 64, not 65.'],
    [['--workers', '-1'], '--workers must be a whole number from 1 to 64, not -1.'],
    [['--workers', '2.5'], '--workers must be a whole number from 1 to 64, not 2.5.'],
    [['--workers', 'many'], '--workers must be a whole number from 1 to 64, not many.'],
    [['--cores', '2'], '--cores is not a valid option; the only one is --workers, a number from 1 to 64.'],
    [['--workers', '2', 'more'], 'more is not a valid option; the only one is --workers, a number from 1 to 64.'],
  ])('the command line is refused in one sentence: %j', (argv, sentence) => {
    expect(() => workersOf(argv)).toThrow(sentence);
  });
});
