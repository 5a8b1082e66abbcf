// A window of an import is longer than other writes: after a conflict, it locks the totals, so that it is not tried again for each of them.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { HeldReferences } from '../../../src/catalog/admin/held-references.js';
import { SMALL_CATALOG } from './admin-fixture.js';
import { type AdminStore, OPERATOR, openAdminStore, recountedState, storedState } from './admin-store.js';

let store: AdminStore;
beforeAll(async () => {
  store = await openAdminStore();
  await store.load(SMALL_CATALOG);
});
afterAll(() => store?.close());

const credential = (name: string) => ({ name, category: 'bulk', issuerId: 'north', schemaId: 'person' });

let singles = 0;

/** Writes a new credential. `metLock` resolves when its transaction is tried again, because it has met a lock of another one. */
function writeSingle(): { written: Promise<unknown>; metLock: Promise<void> } {
  singles += 1;
  const id = `single-${singles}`;
  const transaction = store.connection.transaction.bind(store.connection);
  let attempts = 0;
  let written: Promise<unknown> = Promise.resolve();
  const metLock = new Promise<void>((resolve) => {
    vi.spyOn(store.connection, 'transaction').mockImplementationOnce((work, options) =>
      transaction((session) => {
        attempts += 1;
        if (attempts > 1) resolve();
        return work(session);
      }, options),
    );
    written = store.admin.put(OPERATOR, 'credentials', id, credential(id));
  });
  return { written, metLock };
}

/** Lets a new credential be written in the middle of each attempt. */
class WithWrites extends HeldReferences {
  attempts = 0;
  readonly writes: Promise<unknown>[] = [];

  override async load(...args: Parameters<HeldReferences['load']>): ReturnType<HeldReferences['load']> {
    const rows = await super.load(...args);
    this.attempts += 1;
    const { written, metLock } = writeSingle();
    this.writes.push(written);
    await Promise.race([written, metLock]);
    return rows;
  }
}

it.each([false, true])(
  'a window that conflicts with single writes is written by its second attempt (bulk: %s)',
  async (isBulk) => {
    const held = new WithWrites();
    const items = Array.from({ length: 3 }, (_, at) => ({ id: `window-${isBulk}-${at}`, body: credential(`W ${at}`) }));
    const [outcomes] = await store.admin.write(OPERATOR, [{ kind: 'credentials', items }], isBulk, held);
    expect(outcomes?.map((outcome) => 'result' in outcome && outcome.result)).toEqual([
      'created',
      'created',
      'created',
    ]);
    expect(held.attempts).toBe(2);
    await Promise.all(held.writes);
    await store.counters.fold();
    expect(await storedState(store.models)).toEqual(await recountedState(store.models));
  },
);
