// The search indexes follow the store whatever happens to the stream of changes, or to the worker that holds them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CatalogModels, catalogModels } from '../../../src/catalog/rows/models.js';
import { SearchFeed } from '../../../src/catalog/search/feed.js';
import { SearchWorker } from '../../../src/catalog/search/worker-client.js';
import { ChangeFeed } from '../../../src/store/change-feed.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/eventually.js';

describe('the search indexes', () => {
  let database: TestDatabase;
  let models: CatalogModels;
  let worker: SearchWorker;
  let feed: SearchFeed;
  let changes: ChangeFeed;
  let errors: string[];

  beforeEach(async () => {
    database = await openDatabase(catalogModels);
    models = catalogModels(database.connection);
    worker = new SearchWorker();
    errors = [];
    const onError = (error: unknown): void => void errors.push(String(error));
    changes = new ChangeFeed({ connection: database.connection, onError });
    feed = new SearchFeed(changes, models, worker, onError);
    await add('first', 'Apiary licence');
    feed.start();
    changes.start();
    await feed.filled;
  });
  afterEach(async () => {
    await feed.stop();
    await changes.stop();
    await worker.close();
    await database.close();
  });

  const add = (id: string, name: string) =>
    models.issuers.collection.insertOne({ _id: id, live: true, name, issuerDid: `did:web:${id}`, etag: id } as never);
  const ids = async (query: string): Promise<string[]> => {
    await feed.filled;
    const found = await worker
      .search({ query, kinds: ['issuers'], offset: 0, limit: 10 })
      .catch(() => ({ issuers: undefined }));
    return found.issuers?.items.map(({ id }) => id) ?? [];
  };
  /** Searches until the entry is found, up to the time limit of the test. */
  const found = async (query: string, id: string): Promise<void> => {
    await until(async () => (await ids(query)).includes(id));
  };

  it('the search indexes contain existing entries and later ones', async () => {
    expect(await ids('apiary')).toEqual(['first']);
    await add('second', 'Brewery licence');
    await found('brewery', 'second');
    expect(errors).toEqual([]);
  });

  it('a credential is found by the new name of its issuer, also if an earlier one was read with the former name', async () => {
    const credential = (id: string) => ({ _id: id, live: true, name: id, category: '', etag: id, issuerId: 'first' });
    const insert = (id: string) => models.credentials.collection.insertOne(credential(id) as never);
    const credentials = async (query: string): Promise<string[]> => {
      const found = await worker.search({ query, kinds: ['credentials'], offset: 0, limit: 10 });
      return found.credentials?.items.map(({ id }) => id).sort() ?? [];
    };
    await insert('early');
    await until(async () => (await credentials('apiary')).includes('early'));
    await models.issuers.collection.updateOne({ _id: 'first' } as never, { $set: { name: 'Orchard', etag: 'new' } });
    await until(async () => (await credentials('orchard')).includes('early'));
    await insert('late');
    await until(async () => (await credentials('late')).includes('late'));
    expect(await credentials('orchard')).toEqual(['early', 'late']);
    expect(await credentials('apiary')).toEqual([]);
  });

  it('the search indexes are filled again when the change stream ends, as when its database is dropped', async () => {
    await database.connection.dropDatabase();
    await add('after', 'Cannery licence');
    await found('cannery', 'after');
    expect(await ids('apiary')).toEqual([]);
    expect(errors).toEqual(['Error: the database has had a drop']);
  });

  it('the search indexes are filled again when the worker has died', async () => {
    await worker.close();
    await found('apiary', 'first');
    expect(errors).toEqual(['Error: the search worker has ended']);
  });

  it('the search indexes stop in order while they are filled', async () => {
    await feed.stop();
    expect(errors).toEqual([]);
  });
});
