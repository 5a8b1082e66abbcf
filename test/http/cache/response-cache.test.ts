// Cached responses are used while they are true, and never after a change of anything that they are made of.
import { beforeEach, describe, expect, it } from 'vitest';
import { CatalogChanges, totalsOf } from '../../../src/catalog/cache/catalog-changes.js';
import { ResponseCache } from '../../../src/http/cache/response-cache.js';
import type { ChangeListener, StoreChange } from '../../../src/store/change-feed.js';

/** A change feed that a test controls. */
class HandFeed {
  /** How far the feed is behind, milliseconds; null when it is not connected. */
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

/** Caches a response that depends on a credential and on the list of credentials by popularity. */
function keep(key: string, text = 'answer', credential = 'a'): void {
  const fill = cache.begin(key);
  fill?.reads.row('credentials', credential);
  fill?.reads.list(['credentials', 'credentials.popularity']);
  fill?.keep(text);
}

describe('A kept answer', () => {
  it('a cached response is returned to the same request, and to no other', () => {
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
  it.each(ends)('a cached response becomes invalid with %s', (_, change) => {
    keep('one');
    feed.tell(change);
    expect(cache.find('one')).toBeUndefined();
  });

  const survives: [what: string, change: StoreChange][] = [
    ['another row', updated('credentials', 'z', 'name')],
    ['a row of another kind', inserted('programs', 'a')],
    ['the sort key of another kind', updated('issuers', 'a', 'popularity')],
  ];
  it.each(survives)('a cached response stays valid with %s', (_, change) => {
    keep('one');
    feed.tell(change);
    expect(cache.find('one')?.body.toString()).toBe('answer');
  });

  it('a cached response becomes invalid with one change among a thousand others before the next request', () => {
    keep('one');
    keep('two', 'answer', 'b');
    for (let at = 0; at < 1_000; at += 1) feed.tell(updated('credentials', `z${at}`, 'name'));
    feed.tell(updated('credentials', 'a', 'name'));
    expect(cache.find('one')).toBeUndefined();
    expect(cache.find('two')?.body.toString()).toBe('answer');
  });

  it('a cached response becomes invalid when there were more changes than are logged', () => {
    keep('one');
    for (let at = 0; at < 30_000; at += 1) feed.tell(updated('credentials', `z${at}`, 'name'));
    expect(cache.find('one')).toBeUndefined();
  });

  it('a cached response becomes invalid when changes may have been missed', () => {
    keep('one');
    feed.interrupt();
    expect(cache.find('one')).toBeUndefined();
  });

  it('a cached response is not used while the change stream is interrupted or lags, and is used afterwards', () => {
    keep('one');
    feed.behind = null;
    expect(cache.find('one')).toBeUndefined();
    expect(cache.begin('two')).toBeUndefined();
    feed.behind = 5_000;
    expect(cache.find('one')).toBeUndefined();
    feed.behind = 0;
    expect(cache.find('one')?.body.toString()).toBe('answer');
  });

  it('a cached response has the entity tag of its text', () => {
    keep('one', 'same');
    keep('two', 'same');
    keep('three', 'other');
    expect(cache.find('one')?.etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(cache.find('one')?.etag).toBe(cache.find('two')?.etag);
    expect(cache.find('one')?.etag).not.toBe(cache.find('three')?.etag);
  });
});

describe('An answer that is being made', () => {
  it('a fill is not stored if a row that it read changed meanwhile, even before it was read', () => {
    const fill = cache.begin('one');
    feed.tell(updated('credentials', 'a', 'name'));
    fill?.reads.row('credentials', 'a');
    expect(fill?.keep('old')).toBeUndefined();
    expect(cache.find('one')).toBeUndefined();
  });

  it('a fill is stored if only other rows changed meanwhile', () => {
    const fill = cache.begin('one');
    fill?.reads.row('credentials', 'a');
    feed.tell(updated('credentials', 'b', 'name'));
    expect(fill?.keep('true')?.body.toString()).toBe('true');
  });

  it('a fill is not stored if the change stream was interrupted meanwhile', () => {
    const fill = cache.begin('one');
    feed.interrupt();
    expect(fill?.keep('old')).toBeUndefined();
  });

  it('a fill is shared by all concurrent requests', async () => {
    const fill = cache.begin('one');
    const joined = [cache.join('one'), cache.join('one')];
    fill?.keep('shared');
    expect((await Promise.all(joined)).map((answer) => answer?.body.toString())).toEqual(['shared', 'shared']);
    expect(await cache.join('one')).toBeUndefined();
  });

  it('a fill is not shared with requests after a change, which would miss their own write', async () => {
    const fill = cache.begin('one');
    feed.tell(updated('credentials', 'a', 'name'));
    expect(await cache.join('one')).toBeUndefined();
    fill?.end();
  });

  it('requests that wait for a fill continue when it fails', async () => {
    const fill = cache.begin('one');
    const joined = cache.join('one');
    fill?.end();
    expect(await joined).toBeUndefined();
  });
});

describe('Memory', () => {
  it('the response cache is bounded, and keeps the most recently used responses', () => {
    const text = 'x'.repeat(10_000);
    for (let at = 0; at < 1_000; at += 1) keep(`request ${at}`, text);
    const kept = Array.from({ length: 1_000 }, (_, at) => cache.find(`request ${at}`)).filter(Boolean);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(110);
    expect(cache.find('request 999')).toBeDefined();
  });

  it('the response cache stores no response that would evict most others, and no very long request', () => {
    keep('large', 'x'.repeat(500_000));
    expect(cache.find('large')).toBeUndefined();
    keep('x'.repeat(100_000));
    expect(cache.find('x'.repeat(100_000))).toBeUndefined();
  });
});
