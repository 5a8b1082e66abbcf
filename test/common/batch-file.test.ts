// One file of recipients means the same in the console and in `issue-batch`.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from '../../src/cli/batch-file.js';
import { labelsOf } from '../../src/common/batch-row.js';
import { csvLine } from '../../src/common/csv-text.js';
import { partsOfFile } from '../../src/console/partner/batch-parts.js';
import { FileOfParts } from '../../src/console/partner/read-file.js';

const FIELDS = [
  { name: 'degree', title: 'Degree', type: 'string' },
  { name: 'level', title: 'Level', type: 'integer' },
  { name: 'score', title: '', type: 'number' },
  { name: 'honours', title: 'With honours', type: 'boolean' },
  { name: 'born', title: 'Born on', type: 'date' },
  { name: 'name.first', title: 'First name', type: 'string' },
  { name: 'tags', title: 'Tags', type: 'string[]' },
  { name: 'email', title: 'E-Mail', type: 'string' },
  { name: 'a', title: 'Same', type: 'string' },
  { name: 'b', title: 'Same', type: 'string' },
];

interface Outcome {
  rows?: unknown;
  notes?: string[];
  refused?: string;
}

function byConsole(text: string): Outcome {
  const parts = new FileOfParts();
  try {
    for (const part of partsOfFile(text, FIELDS)) parts.add(structuredClone(part));
  } catch (error) {
    return { refused: (error as Error).message };
  }
  const { records, notes } = parts.file;
  return { rows: JSON.parse(JSON.stringify(records.map(({ row }) => row))), notes };
}

function byCommand(text: string): Outcome {
  const notes: string[] = [];
  try {
    const rows = readRows(text, FIELDS, (note) => notes.push(note));
    return { rows: JSON.parse(JSON.stringify(rows)), notes };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

/** What both doors read. */
function read(text: string): Outcome {
  const outcome = byConsole(text);
  expect(byCommand(text)).toEqual(outcome);
  return outcome;
}

const row = (subject: object, more: object = {}) => ({
  rowKey: '1',
  email: 'a@example.org',
  credentialSubject: subject,
  ...more,
});
const fault = (message: string, email = 'a@example.org') => ({ rowKey: '1', email, message });

describe('A file of recipients, in the console and in issue-batch', () => {
  it.each<[string, unknown]>([
    ['email,degree\na@example.org,MSc', row({ degree: 'MSc' })],
    ['email,credentialSubject.degree\na@example.org,"""MSc"""', row({ degree: 'MSc' })],
    ['sep=;\r\nE-Mail;Degree\r\na@example.org;MSc\r\n', row({ degree: 'MSc' })],
    ['"sep=,"\nemail,degree\na@example.org,MSc', row({ degree: 'MSc' })],
    ['\ufeffsep=\t\nemail\tdegree\na@example.org\tMSc', row({ degree: 'MSc' })],
    ['e-mail address|degree\na@example.org|MSc', row({ degree: 'MSc' })],
    ['"With honours";"E-Mail"\nTRUE;a@example.org', row({ honours: true })],
    ['email;level;score;Born on\na@example.org;3;1,5;31.12.2030', row({ level: 3, score: 1.5, born: '2030-12-31' })],
    ['email,First name,tags\na@example.org,Ada,"[""x"",""y""]"', row({ name: { first: 'Ada' }, tags: ['x', 'y'] })],
    ['email,credentialSubject.email\na@example.org,b@example.org', row({ email: 'b@example.org' })],
    ['email,Expiration\na@example.org,2030-12-31', row({}, { expiresAt: '2030-12-31T00:00:00.000Z' })],
    ['email,LEVEL\na@example.org,', row({})],
    ['email,credentialSubject.other\na@example.org,"{""x"":1}"', row({ other: { x: 1 } })],
    ['email,expiration\na@example.org,2030-02-30', fault('"expiration" is a day that does not exist.')],
    ['email,level\na@example.org,high', fault('"level" must be a whole number.')],
    ['email,Level\na@example.org,1.5', fault('"Level" must be a whole number.')],
    ['email,honours\na@example.org,perhaps', fault('"honours" must be true or false.')],
    ['email,tags\na@example.org,x', fault('"tags" must be JSON; texts need quotes of their own: "…".')],
    ['email,degree\n,MSc', fault('The address is missing.', '')],
    [
      'email,credentialSubject.a,credentialSubject.a.b\na@example.org,x,1',
      fault('“a” is given as a value and as an object.'),
    ],
  ])('%j is one row, or its fault', (text, expected) => {
    expect(read(text)).toEqual({ rows: [expected], notes: [] });
  });

  it.each([
    ['', 'The file is empty.'],
    ['email\n', 'The file has no rows.'],
    ['degree\nMSc', 'The column "email" is missing.'],
    ['email,E-Mail\na@example.org,b@example.org', 'Two columns are the same: "email" and "E-Mail".'],
    ['email,degree,Degree\na@example.org,x,y', 'Two columns are the same: "degree" and "Degree".'],
    ['email,same\na@example.org,x', 'The column "same" may be the field a or b: name it so.'],
    ['email,credentialSubject.__proto__.x\na,1', /names __proto__/],
    ['email,colour\na,1', /The column "colour" is unknown; the columns are email, expiration, degree, level/],
    ['email,degree\na', 'The file is not CSV: line 2 has more or fewer cells than the header.'],
    ['email,degree\na,"b', 'The file is not CSV: line 2 ends inside a cell in quotes.'],
  ])('%j is refused as a whole: %s', (text, sentence) => {
    expect(read(text)).toEqual({
      refused: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    });
  });

  it('any other file has the same rows and faults, too', () => {
    const cell = fc.oneof(
      fc.constantFrom('', 'MSc', 'TRUE', '1,5', '1.5', '31.12.2030', '2030-02-30', '"x"', '[1]', '9007199254740993'),
      fc.string(),
    );
    const label = fc.constantFrom(
      'email',
      'E-Mail',
      'degree',
      'Level',
      'score',
      'born',
      'expiration',
      'tags',
      'colour',
    );
    const table = fc.integer({ min: 1, max: 5 }).chain((width) => {
      const line = (of: fc.Arbitrary<string>) => fc.array(of, { minLength: width, maxLength: width });
      return fc.tuple(line(label), fc.array(line(cell), { maxLength: 4 }), fc.constantFrom(',', ';', '\t'));
    });
    fc.assert(
      fc.property(table, ([labels, lines, delimiter]) => {
        read([labels, ...lines].map((cells) => csvLine(cells, delimiter)).join(''));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void read(text)));
  });

  it('the template of a credential has a column for each field, and each of them is understood', () => {
    const labels = labelsOf(FIELDS);
    expect(labels).toEqual([
      'E-mail',
      'Degree',
      'Level',
      'score',
      'With honours',
      'Born on',
      'First name',
      'Tags',
      'credentialSubject.email',
      'a',
      'b',
      'Expiration',
    ]);
    const cells = ['a@example.org', 'MSc', '1', '2', 'yes', '2000-01-01', 'Ada', '[]', 'x', 'y', 'z', '2030-01-01'];
    const { rows } = read(csvLine(labels) + csvLine(cells));
    expect(rows).toMatchObject([{ credentialSubject: { degree: 'MSc', honours: true, a: 'y', b: 'z', email: 'x' } }]);
  });

  it('lines keep the numbers that editors show', () => {
    const parts = new FileOfParts();
    for (const part of partsOfFile('sep=,\n\nemail,degree\n\na@example.org,x\n,\nb@example.org,"two\nlines"\n', FIELDS))
      parts.add(part);
    const places = parts.file.records.map(({ record, row: { email } }) => [email, record.line, record.rowKey]);
    expect(places).toEqual([
      ['a@example.org', 5, '1'],
      ['b@example.org', 8, '3'],
    ]);
  });
});

it('result files have no cell that a spreadsheet would run', () => {
  expect(csvLine(['=1+1', '+1', '-1', '@a', 'plain "text"', 'a;b'])).toBe(
    `'=1+1,'+1,'-1,'@a,"plain ""text""","a;b"\r\n`,
  );
});
