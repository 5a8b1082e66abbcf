// Running the tests against your own server (`npm run test:mongodb`): how its databases are addressed, and which tests may use it.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { uriOf } from '../support/gateway.js';
import { ENGINE_ONLY, storeTests } from '../support/store-tests.js';

describe('A database of the server', () => {
  it.each([
    ['mongodb://db1:27017', 'mongodb://db1:27017/one?'],
    ['mongodb://db1:27017/', 'mongodb://db1:27017/one?'],
    ['mongodb://db1/?replicaSet=rs0', 'mongodb://db1/one?replicaSet=rs0'],
    ['mongodb://db1:27017,db2:27018,db3/other?replicaSet=rs0', 'mongodb://db1:27017,db2:27018,db3/one?replicaSet=rs0'],
    ['mongodb+srv://cluster.example.org/', 'mongodb+srv://cluster.example.org/one?'],
    // Without a database for authentication, drivers use the database of the string.
    ['mongodb://u:p@db1/', 'mongodb://u:p@db1/one?authSource=admin'],
    ['mongodb://u:p@db1,db2/users', 'mongodb://u:p@db1,db2/one?authSource=users'],
    ['mongodb://u:p@db1/users?authSource=admin', 'mongodb://u:p@db1/one?authSource=admin'],
  ])('%s', (uri, expected) => expect(uriOf(uri, 'one')).toBe(expected));

  it('a database of the server has the options that tests need', () => {
    expect(uriOf('mongodb://db1/?appName=a', 'one', { appName: 'b' })).toBe('mongodb://db1/one?appName=b');
  });
});

describe('The tests that may use it', () => {
  const ONE = 'mongodb://127.0.0.1:27017/?replicaSet=rs0';
  const all = storeTests(ONE);

  it('tests that may use the server start gateways or open databases in the run’s store, and are not slow', () => {
    expect(all).toEqual(expect.arrayContaining(['test/store/retention.test.ts', 'test/contract/rights.test.ts']));
    expect(all.filter((file) => file.startsWith('test/engine/') || file.includes('.slow.'))).toEqual([]);
  });

  it('tests that need the engine do not use the server', () => {
    for (const file of Object.keys(ENGINE_ONLY)) {
      expect(existsSync(file), file).toBe(true);
      expect(all).not.toContain(file);
    }
  });

  it.each(['mongodb://a,b/?replicaSet=rs0', 'mongodb+srv://a.example.org/', 'mongodb://a/?tls=true'])(
    'tests that need one address do not use the server at %s',
    (uri) => {
      const left = storeTests(uri);
      expect(all.filter((file) => !left.includes(file))).toContain('test/http/server/turns.test.ts');
      expect(left).toContain('test/contract/rights.test.ts');
    },
  );
});
