// `holder reset-mfa`: an operator helps a holder who has lost every way in, and the audit log says so.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../holders/support.js';
import { Authenticator } from '../support/authenticator.js';
import { runCli } from './run-cli.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const reset = (...args: string[]) =>
  runCli(['holder', 'reset-mfa', ...args, '--url', world.gateway.url, '--key', world.gateway.operatorKey]);

it('holder reset-mfa removes passkeys and key backup, and is in the audit log', async () => {
  const email = 'lost@example.org';
  const token = await world.login(email);
  const { body: config } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partnerId}`);
  const { body: options } = await world.asHolder('POST', '/v1/holders/me/passkeys/options', token);
  const response = new Authenticator().create(options, { origin: new URL(config.publicUrl).origin });
  expect((await world.asHolder('POST', '/v1/holders/me/passkeys', token, { response })).status).toBe(201);
  const { id } = (await world.asHolder('GET', '/v1/holders/me', token)).body.user;
  const { code, out } = await reset('--email', email);
  expect([code, out]).toEqual([0, `removed of ${id}: 1 passkey, no key backup\n`]);
  expect((await world.asHolder('GET', '/v1/holders/me/passkeys', token)).body.items).toEqual([]);
  const query = '{ auditEntries(first: 1, where: { operation: "holder.reset-mfa" }) { nodes { subject before } } }';
  const { data } = await world.gateway.gql(query, {}, { 'x-admin-api-key': world.gateway.operatorKey });
  expect(data.auditEntries.nodes).toMatchObject([{ subject: id, before: { passkeyCount: 1, hadKeyBackup: false } }]);
});

it.each([
  ['nobody', ['--email', 'nobody@example.org'], 'no such holder'],
  ['two names', ['--email', 'a@example.org', '--did', 'did:x'], 'Give one of'],
  ['no name', [], 'Give one of'],
])('holder reset-mfa of %s says what is wrong', async (_name, args, says) => {
  const { code, err } = await reset(...args);
  expect([code, err]).toEqual([1, expect.stringContaining(says)]);
});
