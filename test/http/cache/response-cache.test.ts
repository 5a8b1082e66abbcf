// Kept answers: given again while they are true, never after something that they are made of has changed.
import { beforeEach, describe, expect, it } from 'vitest';
import { CatalogChanges, totalsOf } from '../../../src/catalog/cache/catalog-changes.js';
import { ResponseCache } from '../../../src/http/cache/response-cache.js';
import type { ChangeListener, StoreChange } from '../../../src/store/change-feed.js';

/** A change feed that a test moves by hand. */
class HandFeed {
  /** How far it is behind, milliseconds; null: it is away. */
  behind: number | null = 0;
  #listener: ChangeListener | undefined;

  listen(_: readonly string[], listener: ChangeListener): void {
    this.#listener = listener;
  }
  get asOf(): number | null {
    return this.behind === null ? null : Date.now() - this.behind;
  }
  tell(...changes: StoreChange[]): void {
    this.#listener?.changed(changes);
  }
  interrupt(): void {
    this.#listener?.interrupted();
  }
}

const updated = (collection: string, id: string, ...paths: string[]): StoreChange => ({
  collection,
  id,
  operation: 'update',
  paths,
});
const inserted = (collection: string, id: string): StoreChange => ({ collection, id, operation: 'insert' });

let feed: HandFeed;
let cache: ResponseCache;

beforeEach(() => {
  feed = new HandFeed();
  cache = new ResponseCache(new CatalogChanges(feed), 1, totalsOf);
});

/** Makes and keeps an answer that is made of a credential and of the list of credentials by popularity. */
function keep(key: string, text = 'answer', credential = 'a'): void {
  const fill = cache.begin(key);
  fill?.reads.row('credentials', credential);
  fill?.reads.list(['credentials', 'credentials.popularity']);
  fill?.keep(text);
}

describe('A kept answer', () => {
  it('is given again to the same request, and to no other', () => {
    keep('one');
    expect(cache.find('one')?.body.toString()).toBe('answer');
    expect(cache.find('another')).toBeUndefined();
  });

  const ends: [what: string, change: StoreChange][] = [
    ['a row of it', updated('credentials', 'a', 'name')],
    ['a new row of its list', inserted('credentials', 'new')],
    ['a row that goes', { collection: 'credentials', id: 'z', operation: 'delete' }],
    ['the sort key of a row of its list', updated('credentials', 'z', 'popularity')],
    ['the total of its list', updated('catalogTotals', 'credentials', 'total')],
  ];
  it.each(ends)('ends with %s', (_, change) => {
    keep('one');
    feed.tell(change);
    expect(cache.find('one')).toBeUndefined();
  });

  const survives: [what: string, change: StoreChange][] = [
    ['another row', updated('credentials', 'z', 'name')],
    ['a row of another kind', inserted('programs', 'a')],
    ['the sort key of another kind', updated('issuers', 'a', 'popularity')],
  ];
  it.each(survives)('outlives %s', (_, change) => {
    keep('one');
    feed.tell(change);
    expect(cache.find('one')?.body.toString()).toBe('answer');
  });

  it('ends with a change among a thousand others that came before it was asked for again', () => {
    keep('one');
    keep('two', 'answer', 'b');
    for (let at = 0; at < 1_000; at += 1) feed.tell(updated('credentials', `z${at}`, 'name'));
    feed.tell(updated('credentials', 'a', 'name'));
    expect(cache.find('one')).toBeUndefined();
    expect(cache.find('two')?.body.toString()).toBe('answer');
  });

  it('ends when more has changed than is remembered', () => {
    keep('one');
    for (let at = 0; at < 30_000; at += 1) feed.tell(updated('credentials', `z${at}`, 'name'));
    expect(cache.find('one')).toBeUndefined();
  });

  it('ends when changes may have been missed', () => {
    keep('one');
    feed.interrupt();
    expect(cache.find('one')).toBeUndefined();
  });

  it('is not given while the change stream is away or behind, and is given when it has caught up', () => {
    keep('one');
    feed.behind = null;
    expect(cache.find('one')).toBeUndefined();
    expect(cache.begin('two')).toBeUndefined();
    feed.behind = 5_000;
    expect(cache.find('one')).toBeUndefined();
    feed.behind = 0;
    expect(cache.find('one')?.body.toString()).toBe('answer');
  });

  it('has the entity tag of its text', () => {
    keep('one', 'same');
    keep('two', 'same');
    keep('three', 'other');
    expect(cache.find('one')?.etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(cache.find('one')?.etag).toBe(cache.find('two')?.etag);
    expect(cache.find('one')?.etag).not.toBe(cache.find('three')?.etag);
  });
});

describe('An answer that is being made', () => {
  it('is not kept when a row that it read changed meanwhile, even before it was read', () => {
    const fill = cache.begin('one');
    feed.tell(updated('credentials', 'a', 'name'));
    fill?.reads.row('credentials', 'a');
    expect(fill?.keep('old')).toBeUndefined();
    expect(cache.find('one')).toBeUndefined();
  });

  it('is kept when something else changed', () => {
    const fill = cache.begin('one');
    fill?.reads.row('credentials', 'a');
    feed.tell(updated('credentials', 'b', 'name'));
    expect(fill?.keep('true')?.body.toString()).toBe('true');
  });

  it('is not kept when the stream was lost meanwhile', () => {
    const fill = cache.begin('one');
    feed.interrupt();
    expect(fill?.keep('old')).toBeUndefined();
  });

  it('is shared by all who ask for it in the meantime', async () => {
    const fill = cache.begin('one');
    const joined = [cache.join('one'), cache.join('one')];
    fill?.keep('shared');
    expect((await Promise.all(joined)).map((answer) => answer?.body.toString())).toEqual(['shared', 'shared']);
    expect(await cache.join('one')).toBeUndefined();
  });

  it('is not shared with whoever asks after a change: their own write would be missing', async () => {
    const fill = cache.begin('one');
    feed.tell(updated('credentials', 'a', 'name'));
    expect(await cache.join('one')).toBeUndefined();
    fill?.end();
  });

  it('leaves nobody waiting when it comes to nothing', async () => {
    const fill = cache.begin('one');
    const joined = cache.join('one');
    fill?.end();
    expect(await joined).toBeUndefined();
  });
});

describe('Memory', () => {
  it('is bounded: the answers that were asked for last stay', () => {
    const text = 'x'.repeat(10_000);
    for (let at = 0; at < 1_000; at += 1) keep(`request ${at}`, text);
    const kept = Array.from({ length: 1_000 }, (_, at) => cache.find(`request ${at}`)).filter(Boolean);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(110);
    expect(cache.find('request 999')).toBeDefined();
  });

  it('takes no answer that would push out most others, and no request without end', () => {
    keep('large', 'x'.repeat(500_000));
    expect(cache.find('large')).toBeUndefined();
    keep('x'.repeat(100_000));
    expect(cache.find('x'.repeat(100_000))).toBeUndefined();
  });
});
