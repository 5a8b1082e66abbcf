// Files of recipients as the console reads them, and results as it writes them.
import { describe, expect, it } from 'vitest';
import { readBatchFile } from '../../src/console/partner/batch-file.js';
import { toCsv } from '../../src/console/partner/result-file.js';

describe('A file of recipients', () => {
  it.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])('a file of recipients may have %s, a byte order mark, mixed line ends and empty lines', (_name, delimiter) => {
    const cells = [
      ['email', 'expiration', 'credentialSubject.level', 'credentialSubject.name.first'],
      ['a@example.org', '2030-01-01', '3', '"""Ada"""'],
      ['b@example.org', '', '4', ''],
    ].map((row) => row.join(delimiter));
    const { rows, refused } = readBatchFile(`\ufeff${cells[0]}\r\n${cells[1]}\n\n${cells[2]}\r`);
    expect(refused).toEqual([]);
    expect(JSON.parse(JSON.stringify(rows))).toEqual([
      {
        rowKey: '1',
        email: 'a@example.org',
        expiresAt: '2030-01-01T00:00:00.000Z',
        credentialSubject: { level: 3, name: { first: 'Ada' } },
      },
      { rowKey: '2', email: 'b@example.org', credentialSubject: { level: 4 } },
    ]);
  });

  it.each([
    ['gold', 'must be JSON'],
    ['9007199254740993', 'cannot be held exactly'],
    ['39e1804', 'cannot be held exactly'],
    ['{"a":[1e400]}', 'cannot be held exactly'],
  ])('only the row with the cell %s is refused, and the others are sent', (cell, why) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const { rows, refused } = readBatchFile(`email,credentialSubject.x\na@example.org,${quoted}\nb@example.org,1\n`);
    expect(refused).toMatchObject([{ rowKey: '1', email: 'a@example.org', message: expect.stringContaining(why) }]);
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['email,other\na,1', 'The column “other” is unknown'],
    ['credentialSubject.x\n1', 'The column “email” is missing'],
    ['email,email\na,b', 'Two columns have the same name'],
    ['email,credentialSubject.x\na@example.org', 'The file is not CSV: line 2 cannot be read.'],
    ['email,credentialSubject.x\na@example.org,"1', 'The file is not CSV'],
    ['', 'The file has no rows.'],
  ])('the file %j is refused as a whole', (text, why) => {
    expect(() => readBatchFile(text)).toThrow(why);
  });

  it("names that JavaScript's prototypes have are names like any other", () => {
    const { rows } = readBatchFile('email,credentialSubject.__proto__.x\na@example.org,1\n');
    expect(JSON.stringify(rows[0]?.credentialSubject)).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

it.each([
  ['credentialSubject.a,credentialSubject.a.__proto__.x', '"{""b"":1}",1'],
  ['credentialSubject.a,credentialSubject.a.b', '1,2'],
  ['credentialSubject.a.b,credentialSubject.a', '1,2'],
])('A row whose columns %s give a member as a value and as an object is refused', (columns, cells) => {
  const { rows, refused } = readBatchFile(`email,${columns}\na@example.org,${cells}\n`);
  expect(rows).toEqual([]);
  expect(refused).toMatchObject([{ message: '“a” is given as a value and as an object.' }]);
  expect(({} as { x?: number }).x).toBeUndefined();
});

it('result files have no cell that a spreadsheet would run', () => {
  expect(toCsv([['=1+1', '+1', '-1', '@a', 'plain "text"']])).toBe(
    '"\'=1+1","\'+1","\'-1","\'@a","plain ""text"""\r\n',
  );
});
