// The rows that have changed lately, which cached lists are checked against.
import { expect, it } from 'vitest';
import { RecentChanges } from '../../../src/catalog/cache/recent-changes.js';
import { hashesOf } from '../../../src/store/change-log.js';

const LIST = hashesOf(['credentials', 'credentials.live', 'credentials.name']);
const rename = (id: string): string[] => [`credentials:${id}`, 'credentials.name', 'credentials.etag'];
const rows = (changes: RecentChanges, since: number) => changes.rowsOf('credentials', since, LIST);

it('rows that changed in a field of the list, after a number, each once', () => {
  const changes = new RecentChanges();
  changes.note(1, rename('a'));
  changes.note(2, ['credentials:b', 'credentials.traction']);
  changes.note(3, ['programs:a', 'programs.name', ...rename('c')]);
  changes.note(4, rename('c'));
  expect(rows(changes, 0)?.sort()).toEqual(['a', 'c']);
  expect(rows(changes, 1)).toEqual(['c']);
  expect(rows(changes, 4)).toEqual([]);
});

it.each<[string, (changes: RecentChanges) => void]>([
  ['a row was added', (changes) => changes.note(2, ['credentials:b', 'credentials'])],
  [
    'many rows changed at once',
    (changes) => changes.note(2, Array.from({ length: 30 }, (_, at) => rename(`r${at}`)).flat()),
  ],
  [
    'many rows changed one by one',
    (changes) => {
      for (let at = 0; at < 30; at += 1) changes.note(2 + at, rename(`r${at}`));
    },
  ],
  ['changes were missed', (changes) => changes.clear(2)],
  [
    'changes are forgotten',
    (changes) => {
      for (let at = 0; at < 1_500; at += 1) changes.note(2 + at, ['programs:a', 'programs.name']);
    },
  ],
])('are unknown after %s', (_, happens) => {
  const changes = new RecentChanges();
  changes.note(1, rename('a'));
  happens(changes);
  expect(rows(changes, 0)).toBeUndefined();
});
