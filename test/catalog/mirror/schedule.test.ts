// A scheduled mirror reads each network independently of the others.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Mirrors } from '../../../src/catalog/mirror/mirror.js';
import { mirrorAlways } from '../../../src/catalog/mirror/schedule.js';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import type { Term } from '../../../src/store/lease.js';
import { ProcessLease } from '../../../src/store/process-lease.js';
import { processLeaseModels } from '../../../src/store/process-rows.js';
import { eventually } from '../../support/eventually.js';
import { type AdminStore, openAdminStore } from '../admin/admin-store.js';
import { networkOf, type SourceServer, startSource } from './source-server.js';

let store: AdminStore;
let silent: SourceServer;
let other: SourceServer;

beforeEach(async () => {
  store = await openAdminStore();
  silent = await startSource(networkOf(1));
  silent.interfere(() => true);
  other = await startSource(networkOf(1));
});
afterEach(async () => {
  await silent.close();
  await other.close();
  await store.close();
});

it('a network that does not respond does not delay others', async () => {
  const outboundPolicy = { allowLoopback: true };
  const mirrors = new Mirrors({
    models: store.models,
    admin: store.admin,
    processLease: new ProcessLease({ models: processLeaseModels(store.models.mirrors.db) }),
    outboundPolicy,
    fetch: guardedFetch(outboundPolicy),
    clock: Date.now,
    pace: { timeoutMs: 600_000 },
  });
  const end = new AbortController();
  const running = mirrorAlways({ signal: end.signal } as Term, {
    mirrors,
    sources: [silent.base, other.base],
    intervalMs: 3_600_000,
    problems: { raise: () => {}, clear: () => {} },
    clock: Date.now,
    onError: (error) => {
      throw error;
    },
  });
  const stateOf = async ({ base }: SourceServer) => (await store.models.mirrors.findById(base).lean())?.state;
  await eventually(async () => expect(await stateOf(other)).toBe('done'));
  expect(await stateOf(silent)).toBe('running');
  end.abort();
  await running;
});
