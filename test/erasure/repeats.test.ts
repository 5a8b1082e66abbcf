// An erasure beside other long work: it can be asked for again, and neither a change of KEYSTORE_KEY nor one of a retention disturbs it.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { rotateKeys } from '../../src/cli/keys.js';
import { batchModels } from '../../src/issuance/batches/models.js';
import type { ErasedHolder } from '../../src/store/erasure-port.js';
import { applyRetention } from '../../src/store/retention.js';
import { startWorld, type World } from '../holders/support.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { registerIssuer, registerPartner } from '../support/partner.js';

const DAY_MS = 86_400_000;

let world: World;
afterEach(() => world.close());

const holderOf = (names: Partial<ErasedHolder>): ErasedHolder => ({
  ...{ holderId: randomUUID(), did: 'did:none', email: 'none@example.org', addresses: [] },
  ...{ at: new Date(), keyName: 'ops', erasureId: randomUUID() },
  ...names,
});

async function eraseEverywhere(holder: ErasedHolder): Promise<void> {
  for (const eraser of world.gateway.app.services.erasers.all) await eraser.erase(holder, new AbortController().signal);
}

it('an erasure whose response was lost can be asked for again, by each name of the holder', async () => {
  world = await startWorld();
  const { did, userId } = (await world.initialize('lost@example.org')).body;
  const erase = (body: object) => world.gateway.admin('POST', '/v1/admin/holders/erase', { body });
  const first = await erase({ email: 'lost@example.org' });
  expect(first.status).toBe(202);
  for (const name of [{ email: 'Lost@example.org' }, { did }, { userId }]) {
    const { status, body } = await erase(name);
    expect([status, body.erasureId]).toEqual([202, first.body.erasureId]);
  }
  // The address may be that of another holder meanwhile: then this one is meant.
  const { userId: later } = (await world.initialize('lost@example.org')).body;
  const second = await erase({ email: 'lost@example.org' });
  expect(second.body.erasureId).not.toBe(first.body.erasureId);
  expect((await erase({ userId: later })).body.erasureId).toBe(second.body.erasureId);
  expect((await erase({ email: 'nobody@example.org' })).status).toBe(404);
});

it('the row of a batch that an erasure leaves is stored as long as its batch', async () => {
  world = await startWorld({ JOB_RETENTION_DAYS: '7' });
  const { rows } = batchModels(world.gateway.app.connection);
  const [holderId, expireAt] = [randomUUID(), new Date(Date.now() + 6 * DAY_MS)];
  const row = { _id: 'j 1', jobId: 'j', rowKey: '1', index: 0, state: 'issued' as const, userUuid: holderId };
  await rows.create([{ ...row, expireAt, retentionMs: 7 * DAY_MS }]);
  await eraseEverywhere(holderOf({ holderId }));
  await applyRetention({ model: rows, end: 'expireAt', ms: 7 * DAY_MS, formerMs: 30 * DAY_MS });
  expect(await rows.find().lean()).toMatchObject([{ jobId: 'j', rowKey: expect.stringMatching(/^erased /), expireAt }]);
});

it('after a change of KEYSTORE_KEY, responses that no key opens do not stop an erasure, and their requests do not run again', async () => {
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  world = await startWorld({ KEYSTORE_KEY: before });
  const { app } = world.gateway;
  const issuerDid = await registerIssuer(world.gateway, 'kept');
  const partner = await registerPartner(world.gateway, [issuerDid]);
  const body = { issuerDid, credentialId: 'kept-credential', credentialSubject: { note: 'n' }, email: 'a@example.org' };
  const issue = async () => {
    const headers = { 'x-partner-auth': await partner.token(), 'idempotency-key': 'once' };
    return (await world.gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body, headers })).status;
  };
  expect(await issue()).toBe(200);
  await app.close();
  const env = { MONGODB_URI: databaseUri(app.connection.name), KEYSTORE_KEY: after };
  const file = join(mkdtempSync(join(tmpdir(), 'keys-')), 'before');
  writeFileSync(file, before);
  await rotateKeys(loadConfig(env), file);
  world = await startWorld(env);
  const erase = await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { email: 'a@example.org' } });
  await eventually(async () => {
    const erasure = await world.gateway.admin('GET', `/v1/admin/erasures/${erase.body.erasureId}`);
    expect(erasure.body.state).toBe('settling');
  });
  const keys = world.gateway.app.connection.collection('idempotencyKeys');
  expect(await keys.countDocuments({ sealedAnswer: { $exists: true } })).toBe(0);
  expect(await issue()).toBe(422);
});
