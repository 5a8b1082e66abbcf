// The CSV that the page of `issue-batch` shows has what its credential of the sample catalog needs.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCHEMAS } from '../../src/catalog/sample/schemas.js';
import { readRows } from '../../src/cli/batch-file.js';

it('the sample in the docs has every required field of a degree, and no other', () => {
  const [, csv = ''] = /```csv\n(.*?)```/s.exec(readFileSync('docs/issue-batch.md', 'utf8')) ?? [];
  const points = SCHEMAS.find(([id]) => id === 'degree')?.[3] ?? [];
  const named = (pattern: RegExp): string[] => points.flatMap((point) => pattern.exec(point)?.[1] ?? []);
  const fields = points.map((point) => {
    const [, name = '', type = ''] = /^([\w.]+):([\w[\]-]+)/.exec(point) ?? [];
    return { name, title: '', type };
  });
  const rows = readRows(csv, fields);
  expect(rows).toHaveLength(1);
  for (const row of rows) {
    const fields = Object.keys('credentialSubject' in row ? row.credentialSubject : {});
    expect(fields).toEqual(expect.arrayContaining(named(/^(\w+):\S+!/)));
    expect(named(/^(\w+):/)).toEqual(expect.arrayContaining(fields));
  }
});
