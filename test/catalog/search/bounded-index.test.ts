// The index for search: its shortcuts find the same as comparing with every word.
import { describe, expect, it } from 'vitest';
import { BoundedIndex } from '../../../src/catalog/search/bounded-index.js';
import { TextTable } from '../../../src/catalog/search/text-table.js';
import { WordList } from '../../../src/catalog/search/word-list.js';

const LETTERS = [...'abcdé學😀'];

/** Generates the same words in each run, from few letters, so that many are similar. */
function manyWords(count: number): string[] {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const letter = (): string => LETTERS[next(LETTERS.length)] ?? 'z';
  return [...new Set(Array.from({ length: count }, () => Array.from({ length: 1 + next(5) }, letter).join('')))];
}

/** Levenshtein's distance of two lists of characters, by its definition. */
function distance(one: string[], other: string[]): number {
  if (one.length === 0 || other.length === 0) return Math.max(one.length, other.length);
  const [a, b] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return distance(a, b);
  return 1 + Math.min(distance(a, other), distance(one, b), distance(a, b));
}

describe('the words of an index', () => {
  const words = manyWords(3_000);
  const table = new TextTable();
  const list = new WordList(table);
  // The first words are sorted at once, others are merged in later, and the last are not sorted yet.
  for (const word of words.slice(0, 800)) table.add(word);
  list.sort();
  for (const word of words.slice(800, -200)) table.add(word);
  list.sort();
  for (const word of words.slice(-200)) table.add(word);
  const all = Number.POSITIVE_INFINITY;
  const asked = [...words.filter((_, at) => at % 40 === 0), 'ab', 'zzz', 'abcdz'];

  it.each(asked)('the words of an index that are one letter away from %s are found', (word) => {
    const near = words.filter(
      (other) => Math.abs(other.length - word.length) < 3 && distance([...word], [...other]) === 1,
    );
    expect(list.oneLetterAway(word, all).sort()).toEqual(near.sort());
  });

  it.each(asked)('the words of an index that begin with %s are found, the shortest first', (word) => {
    const found = list.beginningWith(word, all);
    expect([...found].sort()).toEqual(words.filter((other) => other.startsWith(word)).sort());
    const lengths = found.map((other) => [...other].length);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  });

  it('the words of an index that are found are at most as many as requested', () => {
    expect(list.beginningWith('a', 3)).toHaveLength(3);
    expect(list.oneLetterAway('abc', 3)).toHaveLength(3);
  });
});

describe('an index', () => {
  const entry = (at: number) => ({ id: `entry-${at}`, name: `Entry number${at}`, category: at % 2 ? 'odd' : 'even' });
  const filled = (count: number): BoundedIndex => {
    const index = new BoundedIndex();
    for (let at = 0; at < count; at += 1) index.put(entry(at));
    return index;
  };

  it('an index finds what remains after most entries were removed, and what is added later', () => {
    const index = filled(4_000);
    for (let at = 0; at < 4_000; at += 1) if (at % 10 !== 3) index.remove(`entry-${at}`);
    index.put({ id: 'late', name: 'Latecomer', category: 'odd' });
    expect(index.find('odd', { offset: 0, limit: 1_000 }).total).toBe(401);
    expect(index.find('even', { offset: 0, limit: 10 })).toEqual({ total: 0, best: 0, items: [] });
    expect(index.find('number3993', { offset: 0, limit: 10 }).items[0]?.id).toBe('entry-3993');
    expect(index.find('latecomer', { offset: 0, limit: 10 }).items.map(({ id }) => id)).toEqual(['late']);
  });

  it('an index has the same order on every page, however many entries match', () => {
    const index = filled(5_000);
    const ids = (offset: number, limit: number) => index.find('entry', { offset, limit }).items.map(({ id }) => id);
    const whole = ids(0, 5_000);
    expect(new Set(whole).size).toBe(5_000);
    for (const offset of [0, 40, 2_490, 4_990]) expect(ids(offset, 10)).toEqual(whole.slice(offset, offset + 10));
    expect(ids(5_000, 10)).toEqual([]);
  });

  it('an index ranks a word of the name above one of the category, and a short name above a long one', () => {
    const index = filled(100);
    index.put({ id: 'category', name: 'Something', category: 'Sailing' });
    index.put({ id: 'long', name: 'Sailing along the coast in summer' });
    index.put({ id: 'short', name: 'Sailing' });
    const { items, best } = index.find('sailing', { offset: 0, limit: 10 });
    expect(items.map(({ id }) => id)).toEqual(['short', 'long', 'category']);
    expect(items[0]?.score).toBe(best);
  });

  it('an index returns the best score on later pages, too', () => {
    const index = filled(100);
    const [first, second] = [0, 10].map((offset) => index.find('number7 entry', { offset, limit: 10 }));
    expect(second?.best).toBe(first?.best);
  });

  /** The same entries, put in another order, after others that were removed, and after other content of their own. */
  const histories: Record<string, (index: BoundedIndex, entries: readonly ReturnType<typeof named>[]) => void> = {
    'in another order': (index, entries) => {
      for (const each of [...entries].reverse()) index.put(each);
    },
    'after other content': (index, entries) => {
      for (const each of entries) index.put({ ...each, name: `Former ${each.id} sail`, category: 'former' });
      index.prepare();
      for (const each of entries) index.put(each);
    },
    'each many times': (index, entries) => {
      for (const each of entries) for (let time = 0; time < 5; time += 1) index.put(each);
    },
    'after others that were removed': (index, entries) => {
      for (let at = 0; at < 300; at += 1) index.put({ id: `gone-${at}`, name: `sail${at} sai`, category: 'odd' });
      index.find('sail', { offset: 0, limit: 10 });
      for (const each of entries) index.put(each);
      for (let at = 0; at < 300; at += 1) index.remove(`gone-${at}`);
    },
  };
  const named = (at: number) => ({
    id: `entry-${at % 2 ? '' : '\u{1f600}'}${at}`,
    name: at < 100 ? `Sail${'x'.repeat(at % 7)}${at} trip` : 'Sails and trips',
    category: at % 3 ? 'odd' : 'even',
  });

  it.each(Object.entries(histories))('an index finds the same in the same order when entries were put %s', (_, put) => {
    const entries = Array.from({ length: 250 }, (_, at) => named(at));
    const [one, other] = [new BoundedIndex(), new BoundedIndex()];
    for (const each of entries) one.put(each);
    put(other, entries);
    for (const text of ['sail', 'sails', 'sai', 'sailx1', 'trip odd', 'and', 'even trips', 'former', 'gone'])
      for (const offset of [0, 7, 200])
        expect(other.find(text, { offset, limit: 50 }), text).toEqual(one.find(text, { offset, limit: 50 }));
  });
});
