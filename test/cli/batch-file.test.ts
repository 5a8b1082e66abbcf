// CSV files of `issue-batch` as other programs leave them.
import { describe, expect, it } from 'vitest';
import { readRows } from '../../src/cli/batch-file.js';

/** The rows of a file, and what was said of it. */
function read(text: string) {
  const notes: string[] = [];
  const rows = readRows(text, undefined, (note) => notes.push(note));
  return { rows, notes, keys: rows.map(({ rowKey, email }) => `${rowKey} ${email}`) };
}

const A = { rowKey: '1', email: 'a@example.org', credentialSubject: {} };

describe('a CSV of recipients', () => {
  it.each([
    ['Windows first', 'email\r\na@example.org\nb@example.org\rc@example.org'],
    ['Unix first', 'email\na@example.org\r\n\r\nb@example.org\rc@example.org\r\n'],
  ])('a CSV of recipients may have mixed line ends: %s', (_name, text) => {
    expect(read(text).keys).toEqual(['1 a@example.org', '2 b@example.org', '3 c@example.org']);
  });

  it.each([
    ['email,expiration\na', 'line 2 has more or fewer cells than the header'],
    ['email,expiration\na,,\nb,,x', 'line 3 has more or fewer cells than the header'],
    ['email\na\n"secret', 'line 3 ends inside a cell in quotes'],
    ['email\nsecret "x"', 'line 2 has a quote in a cell that does not begin with one'],
    ['email\n"secret"x', 'line 2 has text after the closing quote of a cell; quotes in a cell are doubled'],
  ])('a CSV of recipients with %j is refused: %s', (text, fault) => {
    expect(() => readRows(text, undefined)).toThrow(
      expect.objectContaining({ message: `The file is not CSV: ${fault}.` }),
    );
  });

  it.each([
    ['semicolons', 'email;credentialSubject.n\na@example.org;"[1,2]"\n'],
    ['tabs', 'email\tcredentialSubject.n\na@example.org\t[1,2]\n'],
    [
      'commas, and semicolons in cells',
      '\ufeffemail,credentialSubject.n,credentialSubject.t\na@example.org,"[1,2]","""x;y"""\n',
    ],
    ['semicolons below an empty row', ';\r\n\r\nemail;credentialSubject.n\r\na@example.org;"[1,2]"\r\n'],
  ])('a CSV of recipients may have %s', (_name, text) => {
    expect(read(text).rows).toMatchObject([{ ...A, credentialSubject: { n: [1, 2] } }]);
  });

  it('a CSV of recipients may have empty rows and columns, which are skipped and reported; other rows keep their numbers', () => {
    const text = 'email,,credentialSubject.n,,\na@example.org,,1,,\n,,,,\n ,, ,,\nb@example.org,,2,,\n,\n,,,,,,,\n';
    const { rows, notes } = read(text);
    expect(rows).toEqual([
      { ...A, credentialSubject: { n: 1 } },
      { rowKey: '4', email: 'b@example.org', credentialSubject: { n: 2 } },
    ]);
    expect(notes).toEqual(['rows 2, 3, 5, 6 are empty and skipped', 'columns 2, 4, 5 are empty and skipped']);
    expect(read('email,\na@example.org,\n\n,').notes).toEqual([
      'row 2 is empty and skipped',
      'column 2 is empty and skipped',
    ]);
    expect(read(',\n,,\nemail\na@example.org').notes).toEqual([
      '2 empty rows above the names of the columns are skipped',
    ]);
    const long = read(`email\na@example.org\n${',\n'.repeat(25)}`);
    expect(long.notes).toEqual([expect.stringMatching(/^rows 2, 3, .*, 21 and 5 more are empty and skipped$/)]);
  });

  it.each([
    ['email,\na@example.org,x\n', 'Column 2 has cells, but no name.'],
    [',,\n,,\n', 'The file is empty.'],
    ['', 'The file is empty.'],
    ['email,\n,\n,,,\n', 'The file has no rows.'],
    ['email,colour\na@example.org,\n', 'The column "colour" is unknown'],
  ])('a CSV of recipients with %j is refused as a whole: %s', (text, message) =>
    expect(() => readRows(text, undefined)).toThrow(message),
  );

  it('a CSV of recipients may begin with a byte order mark, which is dropped', () => {
    expect(read('\ufeff"email"\na@example.org').rows).toEqual([A]);
  });
});

describe('a row', () => {
  const NOT_JSON = '"credentialSubject.n" must be JSON; texts need quotes of their own: "…".';
  const inexact = (literal: string) =>
    `"credentialSubject.n" has the number ${literal}, which cannot be held exactly; write it as a text.`;
  it.each([
    ['39e1804', inexact('39e1804')],
    ['12E-402', inexact('12E-402')],
    ['9007199254740993', inexact('9007199254740993')],
    ['{"a":[12345678901234567890]}', inexact('12345678901234567890')],
    ['MSc', NOT_JSON],
    ['007', NOT_JSON],
    ['=SUM(A1:A9)', NOT_JSON],
    ['“MSc”', NOT_JSON],
    ['1,5', NOT_JSON],
    ['"\\ud800"', '"credentialSubject.n" has a text that is not Unicode: half of a surrogate pair.'],
    ['{"__proto__":1}', '"credentialSubject.n" names __proto__ or constructor.prototype, which is refused.'],
    [
      '[{"constructor":{"a":1,"prototype":2}}]',
      '"credentialSubject.n" names __proto__ or constructor.prototype, which is refused.',
    ],
    [`${'['.repeat(120)}${']'.repeat(120)}`, '"credentialSubject.n" is nested more than 100 levels deep.'],
    [JSON.stringify('x'.repeat(200_000)), 'The row has more than 200000 bytes.'],
  ])('a row is refused, and no other row: %s', (cell, message) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const { rows } = read(`email,credentialSubject.n\na@example.org,1\nb@example.org,${quoted}\nc@example.org,\n`);
    expect(rows).toEqual([
      { ...A, credentialSubject: { n: 1 } },
      { rowKey: '2', email: 'b@example.org', message },
      { rowKey: '3', email: 'c@example.org', credentialSubject: {} },
    ]);
  });

  it.each(['1e22', '0.12345678901234567', '{"constructor":1}', '"39e1804"', '"9007199254740993"'])(
    'a row may have %s',
    (cell) => {
      const { rows } = read(`email;credentialSubject.n\na@example.org;"${cell.replaceAll('"', '""')}"`);
      expect(rows).toEqual([{ ...A, credentialSubject: { n: JSON.parse(cell) } }]);
    },
  );
});
