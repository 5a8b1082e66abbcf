// A change of KEYSTORE_KEY: endpoints keep their secrets, both of them after a rotation.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { rotateKeys } from '../../src/cli/keys.js';
import { databaseUri, startGateway } from '../support/gateway.js';
import { startMembership } from '../support/membership.js';
import { Receiver } from './receiver.js';
import { register } from './support.js';

it('webhooks sign with the same secrets after KEYSTORE_KEY is rotated', async () => {
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const MONGODB_URI = databaseUri(`test_${randomUUID().slice(0, 8)}`);
  const receiver = await new Receiver().start();
  onTestFinished(() => receiver.stop());
  const old = await startMembership({ env: { MONGODB_URI, KEYSTORE_KEY: before } });
  const { webhookId, secret: first } = await register(old.partner, receiver);
  const { secret: second } = (await old.partner('POST', `/v1/webhooks/${webhookId}/rotate`)).body;
  await old.gateway.app.close();
  const file = join(mkdtempSync(join(tmpdir(), 'keys-')), 'before');
  writeFileSync(file, before);
  await rotateKeys(loadConfig({ MONGODB_URI, KEYSTORE_KEY: after }), file);
  const gateway = await startGateway({ env: { MONGODB_URI, KEYSTORE_KEY: after } });
  onTestFinished(() => gateway.close());
  for (const secret of [first, second]) {
    receiver.secrets.set('/', secret);
    const headers = { 'x-partner-auth': await old.token() };
    const { body } = await gateway.rest('POST', `/v1/webhooks/${webhookId}/test`, { headers });
    expect(body.state).toBe('delivered');
  }
});
