// Two versions of one record, put together: what each side alone has changed, entry by entry, and what both have.
import { describe, expect, it } from 'vitest';
import { changedWords } from '../../src/console/operator/editor/changed-words.js';
import { keyOf, merge, type Place, type Side } from '../../src/console/operator/editor/merge.js';

const NONE = (): undefined => undefined;
const accepted = (id: string, ...verificationConditions: string[]) => ({ credentialId: id, verificationConditions });
const point = (name: string, title: string) => ({ name, title, type: 'string', isRequired: true, description: '' });

function merged(
  before: unknown,
  theirs: unknown,
  yours: unknown,
  sideOf: (place: Place) => Side | undefined = NONE,
  whole: string[] = [],
) {
  const { values, clashes, taken } = merge(
    ['m'],
    { before: { m: before }, theirs: { m: theirs }, yours: { m: yours } },
    sideOf,
    whole,
  );
  return { value: values.m, clashes, taken };
}

describe('Merging two versions of a record', () => {
  it('takes what one side alone has changed, and says from whom', () => {
    const versions = {
      before: { name: 'a', category: 'x', maximumIssuance: null },
      theirs: { name: 'b', category: 'x', maximumIssuance: null },
      yours: { name: 'a', category: 'y', maximumIssuance: undefined },
    };
    const { values, clashes, taken } = merge(['name', 'category', 'maximumIssuance'], versions, NONE);
    expect(values).toEqual({ name: 'b', category: 'y', maximumIssuance: null });
    expect(clashes).toEqual([]);
    expect(taken).toEqual([
      { place: ['name'], from: 'theirs' },
      { place: ['category'], from: 'yours' },
    ]);
  });

  it('both may add and remove accepted credentials, and conditions of the same one', () => {
    const before = [accepted('a', 'x > 1'), accepted('b', 'y = 2'), accepted('c')];
    const theirs = [accepted('a', 'x > 1', 'x < 9'), accepted('b', 'y = 2'), accepted('d')];
    const yours = [accepted('a', 'x > 1', 'z = 3'), accepted('c'), accepted('e')];
    expect(merged(before, theirs, yours)).toMatchObject({
      value: [accepted('a', 'x > 1', 'x < 9', 'z = 3'), accepted('d'), accepted('e')],
      clashes: [],
    });
  });

  it('a condition that both have rewritten is a clash, not two conditions', () => {
    const [before, theirs, yours] = ['age >= 18', 'age >= 21', 'age >= 16'].map((text) => [accepted('a', text)]);
    const place = ['m', 'a', 'verificationConditions'];
    expect(merged(before, theirs, yours).clashes).toEqual([
      { place, before: ['age >= 18'], theirs: ['age >= 21'], yours: ['age >= 16'] },
    ]);
    const chosen = (at: Place): Side | undefined => (keyOf(at) === keyOf(place) ? 'yours' : undefined);
    expect(merged(before, theirs, yours, chosen).value).toEqual([accepted('a', 'age >= 16')]);
  });

  it('data points are merged by name and by member', () => {
    const before = [point('a', 'A'), point('b', 'B')];
    const theirs = [{ ...point('a', 'A'), type: 'integer' }, point('b', 'B2')];
    const yours = [point('a', 'A2'), point('b', 'B3'), point('c', 'C')];
    const { value, clashes } = merged(before, theirs, yours);
    expect(value).toEqual([{ ...point('a', 'A2'), type: 'integer' }, point('b', 'B2'), point('c', 'C')]);
    expect(clashes).toEqual([{ place: ['m', 'b', 'title'], before: 'B', theirs: 'B2', yours: 'B3' }]);
  });

  it('an entry that one side removed and the other changed is a clash', () => {
    const before = [point('a', 'A')];
    const { clashes } = merged(before, [], [point('a', 'A2')]);
    expect(clashes).toEqual([
      { place: ['m', 'a'], before: point('a', 'A'), theirs: undefined, yours: point('a', 'A2') },
    ]);
    expect(merged(before, [], [point('a', 'A2')], () => 'theirs').value).toEqual([]);
    expect(merged(before, [], [point('a', 'A2')], () => 'yours').value).toEqual([point('a', 'A2')]);
  });

  it('keys are merged by their id, DIDs and origins by themselves', () => {
    const key = (kid: string, x: string) => ({ kid, kty: 'EC', x });
    const keys = (...all: object[]) => ({ keys: all });
    expect(
      merged(keys(key('1', 'a')), keys(key('1', 'a'), key('2', 'b')), keys(key('3', 'c'), key('1', 'a'))),
    ).toMatchObject({
      value: keys(key('1', 'a'), key('2', 'b'), key('3', 'c')),
      clashes: [],
    });
    expect(merged(['did:a', 'did:b'], ['did:a'], ['did:b', 'did:a', 'did:c'])).toMatchObject({
      value: ['did:a', 'did:c'],
      clashes: [],
    });
  });

  it('documents are taken as a whole, and entries without ids, too', () => {
    const [before, theirs, yours] = [
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      { a: 1, b: 2 },
    ];
    expect(merged(before, theirs, yours, NONE, ['m']).clashes).toEqual([{ place: ['m'], before, theirs, yours }]);
    const twice = [point('a', 'A'), point('a', 'B')];
    expect(merged([], twice, [point('b', 'B')]).clashes).toHaveLength(1);
  });
});

describe('The marks of changed words', () => {
  it.each([
    ['For adults only', 'For old adults only', ['For ', 'old ', 'adults only']],
    ['same', 'same', ['same', '', '']],
    ['', 'new', ['', 'new', '']],
    ['a b c', 'a x c', ['a ', 'x', ' c']],
    ['a a', 'a', ['a', '', '']],
  ])('from %j to %j', (before, text, [head, changed, tail]) => {
    expect(changedWords(before, text)).toEqual({ head, changed, tail });
  });
});
