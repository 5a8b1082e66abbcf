// A write of an entry names only the fields that it changes, so caches keep what does not depend on them.
import { expect, it } from 'vitest';
import { pathsOf, updateOf } from '../../../src/catalog/admin/field-update.js';

const DAY = new Date('2026-01-02T03:04:05Z');
const row = { _id: 'a', name: 'A', terms: ['a'], traction: { base: { holderCount: 1 } }, createdAt: DAY, vct: null };

const cases: [string, object, object][] = [
  ['a changed text', { ...row, name: 'B' }, { $set: { name: 'B' } }],
  ['a changed list', { ...row, terms: ['a', 'b'] }, { $set: { terms: ['a', 'b'] } }],
  [
    'a changed member of a member',
    { ...row, traction: { base: { holderCount: 2 } } },
    { $set: { traction: { base: { holderCount: 2 } } } },
  ],
  ['another time', { ...row, createdAt: new Date(0) }, { $set: { createdAt: new Date(0) } }],
  ['a new member', { ...row, offered: true }, { $set: { offered: true } }],
  [
    'a missing member',
    { _id: 'a', name: 'B', terms: ['a'], traction: row.traction, createdAt: DAY },
    { $set: { name: 'B' }, $unset: { vct: '' } },
  ],
];

it.each(cases)('the update to %s names it alone', (_, after, update) => {
  expect(updateOf(structuredClone(row), after)).toEqual(update);
});

it('the paths of an update are the fields that it sets and removes', () => {
  expect(pathsOf({ $set: { name: 'B', etag: 'c' }, $unset: { vct: '' } })).toEqual(['name', 'etag', 'vct']);
  expect(pathsOf({ $set: { live: false } })).toEqual(['live']);
});
