// CSV files of `issue-batch` as other programs leave them.
import { describe, expect, it } from 'vitest';
import { readBatchFile } from '../../src/cli/batch-file.js';

describe('a CSV of recipients', () => {
  it.each([
    ['Windows first', 'email\r\na@example.org\nb@example.org\rc@example.org'],
    ['Unix first', 'email\na@example.org\r\n\r\nb@example.org\rc@example.org\r\n'],
  ])('may mix line ends: %s', (_name, text) => {
    expect(readBatchFile(text).map(({ rowKey, email }) => `${rowKey} ${email}`)).toEqual([
      '1 a@example.org',
      '2 b@example.org',
      '3 c@example.org',
    ]);
  });

  it.each([
    ['email,expiration\na', 'line 2 has more or fewer cells than the header'],
    ['email\na\n"secret', 'line 3 ends inside a cell in quotes'],
    ['email\nsecret "x"', 'line 2 has a quote in a cell that does not begin with one'],
    ['email\n"secret"x', 'line 2 has text after the closing quote of a cell; quotes in a cell are doubled'],
  ])('%j is refused: %s', (text, fault) => {
    expect(() => readBatchFile(text)).toThrow(expect.objectContaining({ message: `The file is not CSV: ${fault}.` }));
  });
});
