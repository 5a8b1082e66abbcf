// The status of a batch whose operation the gateway does not have.
import { expect, it } from 'vitest';
import { Batches } from '../../../src/wallet/keys/batches.js';
import type { Operations } from '../../../src/wallet/keys/operations.js';
import { Store } from '../../../src/wallet/store.js';

const HASH = `0x${'ab'.repeat(32)}` as const;

it('a batch whose operation was dropped is said not to come any more, and its id can be used again', async () => {
  const operations = { receipt: async () => null, isKnown: async () => false } as unknown as Operations;
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  };
  const batches = new Batches({ store: new Store('p', () => storage), operations, chainId: 1 });
  batches.keep('order', HASH);
  expect(await batches.status('order')).toMatchObject({ id: 'order', status: 400 });
  await batches.requireNew('order');
  await expect(batches.status(HASH)).rejects.toMatchObject({ code: 5_730 });
});
