// What an issuance asks of the store: nothing about a maximum that its credential does not have, and nothing about a place in a status list
// that was looked up before.
import { afterAll, beforeAll, expect, it } from 'vitest';
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

/** Issues to somebody new; returns the status, and what was sent. */
async function issue(): Promise<{ status: number; sent: string[] }> {
  const { body: holder } = await partner.rest('POST', '/v1/auth/initialize-user', {
    email: `p${people++}@example.org`,
  });
  const body = { issuerDid, credentialId: 'lean-credential', credentialSubject: { note: 'n' }, userId: holder.userId };
  const { result, commands: sent } = await commands.of(() =>
    partner.rest('POST', '/v1/credentials/issue-on-behalf', body),
  );
  return { status: result.status, sent };
}

const quotasIn = (sent: readonly string[]): string[] => sent.filter((command) => command.endsWith(' issuanceQuotas'));

it('sends these commands, once the credential is a minute old', async () => {
  await issue();
  await age();
  expect(quotasIn((await issue()).sent)).toEqual(['delete issuanceQuotas']);
  const { sent } = await issue();
  expect(sent.filter((command) => !/ (partners|rates)$/.test(command)).sort()).toEqual([
    'find credentials',
    'find holderPartners',
    'find holders',
    'find issuances',
    'find issuers',
    'insert auditEntries',
    'insert events',
    'insert issuances',
    'insert storedCredentials',
    'update firstHoldings',
  ]);
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
