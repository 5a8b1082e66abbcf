// The connection to the embedded engine, while the machine stands still.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { openStore } from '../../src/store/connection.js';
import { scratchFolder } from '../support/process.js';
import { standStill } from '../support/stand-still.js';

it('a command that waits for a connection to the embedded engine outlasts a machine that stands still for six seconds', async () => {
  const store = await openStore(loadConfig({ DATA_DIR: join(scratchFolder(), 'data'), LOG_LEVEL: 'silent' }));
  const { connection } = store;
  connection.getClient().once('connectionCreated', () => standStill(6_000));
  const pings = await Promise.allSettled(Array.from({ length: 10 }, () => connection.db?.command({ ping: 1 })));
  expect(pings.filter(({ status }) => status === 'rejected')).toEqual([]);
  await store.close();
});
