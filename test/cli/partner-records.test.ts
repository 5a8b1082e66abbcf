// The operator's look at partners: all of them, one as it was written, and the end of one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerPartner } from '../support/partner.js';
import { runCli } from './run-cli.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const cli = (...args: string[]) => runCli(['partner', ...args, '--url', gateway.url, '--key', gateway.operatorKey]);

it('partner list prints no partner, one, and more than a page of them', async () => {
  expect(await cli('list')).toEqual({ code: 0, out: '0 partners\n', err: '' });
  const partner = await registerPartner(gateway);
  expect((await cli('list')).out).toMatch(new RegExp(`^${partner.partnerId}  \\d{4}-\\S+Z  \\S+  .+\\n1 partner\\n$`));
  const { body: record } = await gateway.admin('GET', `/v1/admin/partners/${partner.partnerId}`);
  const { jwks, scopes } = record;
  for (let at = 0; at < 120; at += 1) {
    const path = `/v1/admin/partners/00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    expect((await gateway.admin('PUT', path, { body: { name: `P${at}`, jwks, scopes } })).status).toBe(200);
  }
  const { partners } = JSON.parse((await cli('list', '--json')).out);
  expect(new Set(partners.map(({ partnerId }: { partnerId: string }) => partnerId)).size).toBe(121);
});

it('partner show prints a partner as it was written, and partner retire retires it', async () => {
  const { partnerId, token } = await registerPartner(gateway);
  const { body } = await gateway.admin('GET', `/v1/admin/partners/${partnerId}`);
  expect(JSON.parse((await cli('show', partnerId)).out)).toEqual(body);
  const call = async () =>
    (await gateway.rest('GET', '/v1/webhooks', { headers: { 'x-partner-auth': await token() } })).status;
  expect(await call()).toBe(200);
  const out = `${partnerId} is retired: its tokens are refused\n`;
  expect(await cli('retire', partnerId)).toEqual({ code: 0, out, err: '' });
  expect(await call()).toBe(403);
  expect((await cli('list')).out).not.toContain(partnerId);
});

it.each(['show', 'retire'])('partner %s reports an unknown partner', async (command) => {
  const { code, err } = await cli(command, '00000000-0000-4000-8000-0000000000ff');
  expect([code, err]).toEqual([1, expect.stringMatching(/^The gateway refused: There is no .*partner.*\n$/)]);
});

it('partner list, show and retire are for operators', async () => {
  const wrong = await runCli(['partner', 'list', '--url', gateway.url, '--key', 'x'.repeat(40)]);
  expect([wrong.code, wrong.out]).toEqual([1, '']);
});
