// What an issuance asks of the store: nothing about a maximum that its credential does not have, and nothing about a place in a status list
// that was looked up before.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issuanceModels } from '../../src/issuance/models.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { type RequestCommands, requestCommandsOf } from '../support/request-commands.js';

const TWO_MINUTES = 120_000;
let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;
let commands: RequestCommands;
let people = 0;

beforeAll(async () => {
  gateway = await startGateway({ env: { ZK: 'off' }, monitorCommands: true });
  commands = requestCommandsOf(gateway);
  issuerDid = await registerIssuer(gateway, 'lean');
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(() => gateway?.close());

async function put(maximumIssuance: number | null): Promise<void> {
  const body = { name: 'Lean', category: 'Test', issuerId: 'lean', schemaId: 'lean-schema', maximumIssuance };
  expect((await gateway.admin('PUT', '/v1/admin/credentials/lean-credential', { body })).status).toBe(200);
}

/** As if two minutes had passed since the credential was changed. */
async function age(): Promise<void> {
  const change = { $set: { updatedAt: new Date(Date.now() - TWO_MINUTES) } };
  await gateway.app.connection.collection('credentials').updateOne({ _id: 'lean-credential' as never }, change);
}

async function aHolder(): Promise<string> {
  const { body } = await partner.rest('POST', '/v1/auth/initialize-user', { email: `p${people++}@example.org` });
  return String(body.userId);
}

/** Issues to somebody new, unless it is said to whom; returns the response, and what was sent. */
async function issue(userId?: string, more: object = {}) {
  const to = { userId: userId ?? (await aHolder()), ...more };
  const body = { issuerDid, credentialId: 'lean-credential', credentialSubject: { note: 'n' }, ...to };
  const { result, commands: sent } = await commands.of(() =>
    partner.rest('POST', '/v1/credentials/issue-on-behalf', body),
  );
  return { status: result.status, body: result.body, sent };
}

const quotasIn = (sent: readonly string[]): string[] => sent.filter((command) => command.endsWith(' issuanceQuotas'));

it('sends these commands, once the credential is a minute old', async () => {
  await issue();
  await age();
  expect(quotasIn((await issue()).sent)).toEqual(['delete issuanceQuotas']);
  const { sent } = await issue();
  // Without what is in memory for some seconds, then read again.
  expect(sent.filter((command) => !/ (partners|rates|signingKeys)$/.test(command)).sort()).toEqual([
    'find credentials',
    'find holderPartners',
    'find holders',
    'find issuers',
    'insert auditEntries',
    'insert events',
    'insert issuances',
    'insert storedCredentials',
    'update firstHoldings',
  ]);
});

it('looks for an earlier issuance to the holder once the store has refused a second one', async () => {
  const { issuances } = issuanceModels(gateway.app.connection);
  const userId = await aHolder();
  const looks = (sent: readonly string[]) => sent.filter((command) => command === 'find issuances').length;
  const first = await issue(userId);
  const second = await issue(userId);
  expect([first.status, second.status, looks(first.sent), looks(second.sent)]).toEqual([200, 200, 0, 1]);
  expect(second.body.coreClaimHash).not.toBe(first.body.coreClaimHash);
  const rows = await issuances.find({ holderId: userId }).sort({ createdAt: 1 }).lean();
  expect(rows.map(({ live, coreClaimHash }) => [live, coreClaimHash])).toEqual([
    [false, first.body.coreClaimHash],
    [true, second.body.coreClaimHash],
  ]);
  const third = await issue(userId, { onDuplicate: 'ignore' });
  expect([third.status, third.body.coreClaimHash]).toEqual([200, second.body.coreClaimHash]);
  // One that has expired, which is not reported yet, is replaced whatever is said.
  await issuances.updateOne({ holderId: userId, live: true }, { $set: { expiresAt: new Date(Date.now() - 1_000) } });
  const fourth = await issue(userId, { onDuplicate: 'ignore' });
  expect([first.body, second.body].map(({ coreClaimHash }) => coreClaimHash)).not.toContain(fourth.body.coreClaimHash);
  expect(await issuances.countDocuments({ holderId: userId, live: true })).toBe(1);
});

it('issuances at once to one holder leave one that is live', async () => {
  const { issuances } = issuanceModels(gateway.app.connection);
  const userId = await aHolder();
  const all = await Promise.all(Array.from({ length: 6 }, () => issue(userId)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(await issuances.countDocuments({ holderId: userId })).toBe(6);
  expect(await issuances.countDocuments({ holderId: userId, live: true })).toBe(1);
});

it('looks again after each change of the credential, and a maximum that comes later counts all', async () => {
  await age();
  await issue();
  const before = await gateway.app.connection
    .collection('issuances')
    .countDocuments({ credentialId: 'lean-credential' });
  await put(before + 2);
  expect((await issue()).status).toBe(200);
  await put(null);
  expect(quotasIn((await issue()).sent)).toEqual(['delete issuanceQuotas']);
  await age();
  expect(quotasIn((await issue()).sent)).toEqual(['delete issuanceQuotas']);
  expect(quotasIn((await issue()).sent)).toEqual([]);
  await put(before + 5);
  expect([(await issue()).status, (await issue()).status]).toEqual([200, 409]);
});

it('looks each time in the first minute after a change', async () => {
  await put(null);
  for (const _ of [1, 2, 3]) expect(quotasIn((await issue()).sent)).toEqual(['delete issuanceQuotas']);
});

it('asks for no decision of a holder who has just come, and for that of every other', async () => {
  const body = {
    issuerDid,
    credentialId: 'lean-credential',
    credentialSubject: { note: 'n' },
    email: 'fresh@example.org',
  };
  const decisionsOf = async (): Promise<string[]> => {
    const { result, commands: sent } = await commands.of(() =>
      partner.rest('POST', '/v1/credentials/issue-on-behalf', body),
    );
    expect(result.status).toBe(200);
    return sent.filter((command) => command.endsWith(' holderPartners'));
  };
  expect(await decisionsOf()).toEqual([]);
  expect(await decisionsOf()).toEqual(['find holderPartners']);
});
