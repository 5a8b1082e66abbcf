// What is stored of a read, without a gateway: nothing that a write has overtaken, and no more than there is memory for.
import { beforeEach, describe, expect, it } from 'vitest';
import { CatalogChanges } from '../../../src/catalog/cache/catalog-changes.js';
import { EntityCache } from '../../../src/catalog/cache/entity-cache.js';
import type { ChangeListener, StoreChange } from '../../../src/store/change-feed.js';

/** A change feed that the tests control. */
class HandFeed {
  /** However long a test takes, the feed reports that no change is missing. */
  asOf: number | null = Number.POSITIVE_INFINITY;
  #listener: ChangeListener | undefined;
  listen(_collections: readonly string[], listener: ChangeListener): void {
    this.#listener = listener;
  }
  tell(...changes: StoreChange[]): void {
    this.#listener?.changed(changes);
  }
  interrupt(): void {
    this.#listener?.interrupted();
  }
}

describe('A read that a write overtakes', () => {
  let feed: HandFeed;
  let cache: EntityCache;
  beforeEach(() => {
    feed = new HandFeed();
    cache = new EntityCache(new CatalogChanges(feed), 1);
  });
  const changed = (id: string): StoreChange => ({ collection: 'issuers', id, operation: 'update', paths: ['name'] });
  const moved = (id: string): StoreChange => ({
    collection: 'issuers',
    id,
    operation: 'update',
    paths: ['popularity'],
  });
  const LIST = { places: [{ _id: 'a' }], more: false };
  const ALL = { limit: 100, backward: false };

  it('a read during which a write happened is not cached, and other reads are', () => {
    const fill = cache.begin();
    feed.tell(changed('a'));
    fill.row('issuers', 'a', { name: 'old' });
    fill.row('issuers', 'b', { name: 'b' });
    fill.row('issuers', 'c', null);
    expect(cache.row('issuers', 'a')).toBeUndefined();
    expect(cache.row('issuers', 'b')).toEqual({ name: 'b' });
    expect(cache.row('issuers', 'c')).toBeNull();
  });

  it('a list whose order changed while it was read is not cached', () => {
    const fill = cache.begin(['issuers', 'issuers.live', 'issuers.popularity']);
    feed.tell(moved('z'));
    fill.list('by popularity', LIST);
    expect(cache.list('by popularity', ALL)).toBeUndefined();
  });

  it('a list is cached if the write during its read does not concern it', () => {
    const fill = cache.begin(['issuers', 'issuers.live', 'issuers.popularity']);
    feed.tell(changed('z'));
    fill.list('by popularity', LIST);
    expect(cache.list('by popularity', ALL)).toMatchObject(LIST);
    feed.tell(moved('y'));
    expect(cache.list('by popularity', ALL)).toBeUndefined();
  });

  it('a cached page also has the smaller pages that begin where it begins, and no larger one', () => {
    const places = ['a', 'b', 'c'].map((_id) => ({ _id }));
    const fill = cache.begin();
    fill.list('forward', { places, more: true });
    fill.list('whole', { places, more: false });
    const idsOf = (key: string, limit: number, backward = false) => {
      const page = cache.list(key, { limit, backward });
      return page && [page.places.map(({ _id }) => _id).join(''), page.more];
    };
    expect(idsOf('forward', 2)).toEqual(['ab', true]);
    expect(idsOf('forward', 2, true)).toEqual(['bc', true]);
    expect(idsOf('forward', 3)).toEqual(['abc', true]);
    expect(idsOf('forward', 4)).toBeUndefined();
    expect(idsOf('whole', 1)).toEqual(['a', true]);
    expect(idsOf('whole', 3)).toEqual(['abc', false]);
    expect(idsOf('whole', 100)).toEqual(['abc', false]);
    const view = (limit: number) => cache.view('whole', { limit, backward: false }, (page) => page.places.length);
    expect([view(2), view(3), view(2)]).toEqual([2, 3, 2]);
  });

  it('a read is not cached if the change stream was interrupted meanwhile', () => {
    const fill = cache.begin();
    feed.interrupt();
    fill.row('issuers', 'a', { name: 'old' });
    expect(cache.row('issuers', 'a')).toBeUndefined();
    feed.asOf = null;
    const other = cache.begin();
    other.row('issuers', 'a', { name: 'old' });
    expect(cache.row('issuers', 'a')).toBeUndefined();
  });

  it('the entity cache is not used while the change stream lags or is interrupted', () => {
    expect(cache.whenTrusted).toBe(cache);
    feed.asOf = Date.now() - 5_000;
    expect(cache.whenTrusted).toBeUndefined();
    feed.asOf = null;
    expect(cache.whenTrusted).toBeUndefined();
  });

  it('the entity cache does not grow without limit', () => {
    const fill = cache.begin();
    const text = 'x'.repeat(1_000);
    for (let at = 0; at < 2_000; at += 1) fill.row('issuers', `issuer-${at}`, { text });
    const kept = Array.from({ length: 2_000 }, (_, at) => cache.row('issuers', `issuer-${at}`)).filter(Boolean);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length).toBeLessThan(600);
  });
});
