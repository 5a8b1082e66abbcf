// Lists of issuances by filter, and of batches: what a partner issued can be found again, and nobody finds what is another's.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Membership, startMembership } from '../support/membership.js';
import { logIn, registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const DAY = 86_400_000;
const HOLDERS = ['one@example.org', 'two@example.org'] as const;

let world: Membership;
let other: TestPartner;
let otherDid: string;
let operator: Record<string, string>;
let mine: Record<string, string>;
const userIds: string[] = [];

beforeAll(async () => {
  world = await startMembership();
  const { gateway, partner, issuerDid } = world;
  operator = { 'x-admin-api-key': gateway.operatorKey };
  mine = { 'x-partner-auth': await world.token() };
  otherDid = await registerIssuer(gateway, 'other');
  other = await registerPartner(gateway, [otherDid]);
  for (const email of HOLDERS) userIds.push((await partner('POST', '/v1/auth/initialize-user', { email })).body.userId);
  const member = { issuerDid, credentialId: 'member', credentialSubject: { level: 1, since: '2024-01-01' } };
  for (const email of [...HOLDERS, ...HOLDERS, HOLDERS[0]])
    expect((await partner('POST', '/v1/credentials/issue-on-behalf', { ...member, email })).status).toBe(200);
  const theirs = { issuerDid: otherDid, credentialId: 'other-credential', credentialSubject: { note: 'n' } };
  const issued = await other.rest('POST', '/v1/credentials/issue-on-behalf', { ...theirs, email: HOLDERS[0] });
  expect(issued.status).toBe(200);
  await spread();
});
afterAll(() => world?.gateway.close());

/** One issuance of the partner a day, and one of every status. */
async function spread(): Promise<void> {
  const rows = world.gateway.app.connection.collection('issuances');
  const own = await rows.find({ partnerId: world.partnerId }).sort({ createdAt: 1 }).toArray();
  const past = new Date(Date.now() - 40 * DAY);
  const live = { revokedAt: null, removedAt: null, anchoredAt: null, live: false, expiresAt: null };
  const states = [
    { ...live },
    { ...live, anchoredAt: past },
    { ...live, anchoredAt: past, revokedAt: past },
    { ...live, revokedAt: past },
    { ...live, expiresAt: past },
  ];
  for (const [at, { _id }] of own.entries())
    await rows.updateOne({ _id }, { $set: { ...states[at], createdAt: new Date(Date.UTC(2026, 0, 1 + at)) } });
}

interface Found {
  credentialId: string;
  issuerDid: string;
  vcStatus: string;
  createdAt: string;
}

async function issuances(where: object | null, headers = mine): Promise<Found[]> {
  const query = `query ($where: IssuanceListWhere) { issuances(first: 100, where: $where) {
    totalCount nodes { credentialId issuerDid vcStatus createdAt } } }`;
  const { data, errors } = await world.gateway.gql(query, { where }, headers);
  expect(errors).toBeUndefined();
  expect(data.issuances.totalCount).toBe(data.issuances.nodes.length);
  return data.issuances.nodes;
}
const refusal = async (where: object, headers = mine) => {
  const query = 'query ($where: IssuanceListWhere) { issuances(where: $where) { nodes { id } } }';
  const { errors } = await world.gateway.gql(query, { where }, headers);
  return [errors?.[0]?.extensions.httpStatus, errors?.[0]?.message];
};

describe('Issuances', () => {
  it.each(['WAIT_ONCHAIN', 'ONCHAIN', 'WAIT_REMOVE', 'REMOVE', 'EXPIRE'])(
    'issuances with the status %s are found by that status',
    async (status) => {
      const all = await issuances(null);
      expect(all).toHaveLength(5);
      const expected = all.filter(({ vcStatus }) => vcStatus === status);
      expect(expected).toHaveLength(1);
      expect(await issuances({ status })).toEqual(expected);
      expect(await issuances({ status, credentialId: 'member' }, operator)).toEqual(expect.arrayContaining(expected));
    },
  );

  it('issuances of a credential, an issuer, a holder and a time are found by these', async () => {
    const count = async (where: object, headers = operator) => (await issuances(where, headers)).length;
    expect(await count({ credentialId: 'member' })).toBe(5);
    expect(await count({ credentialId: 'other-credential' })).toBe(1);
    expect(await count({ issuerDid: otherDid })).toBe(1);
    expect(await count({ userId: userIds[0]?.toUpperCase() })).toBe(4);
    expect(await count({ userId: userIds[1] })).toBe(2);
    expect(await count({ userId: userIds[0], issuerDid: otherDid })).toBe(1);
    expect(await count({ userId: randomUUID() })).toBe(0);
    const from = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
    expect(await count({ issuedFrom: from(2), issuedBefore: from(4) }, mine)).toBe(2);
    expect(await count({ issuedFrom: from(5) }, mine)).toBe(1);
    expect(await count({ issuedBefore: from(2), credentialId: 'member' })).toBe(1);
  });

  it("issuances in a list are the caller's own, whatever the filter", async () => {
    const theirs = { 'x-partner-auth': await other.token() };
    expect(await issuances({ issuerDid: world.issuerDid }, theirs)).toEqual([]);
    expect(await issuances({ userId: userIds[0] }, theirs)).toHaveLength(1);
    const session = await logIn(world.gateway, { ...world, rest: world.partner }, HOLDERS[1]);
    const holder = { authorization: `Bearer ${session}` };
    expect(await issuances({ credentialId: 'member' }, holder)).toHaveLength(2);
    expect(await issuances({ userId: userIds[0] }, holder)).toEqual([]);
  });

  it('pages of issuances continue after a cursor, within the filter', async () => {
    const query = `query ($after: String, $where: IssuanceListWhere) { issuances(first: 2, after: $after, where: $where) {
      nodes { createdAt } pageInfo { hasNextPage endCursor } } }`;
    const where = { issuedFrom: '2026-01-02T00:00:00Z', credentialId: 'member' };
    const first = (await world.gateway.gql(query, { where }, mine)).data.issuances;
    const next = (await world.gateway.gql(query, { where, after: first.pageInfo.endCursor }, mine)).data.issuances;
    const days = [...first.nodes, ...next.nodes].map(({ createdAt }: Found) => new Date(createdAt).getUTCDate());
    expect([days, next.pageInfo.hasNextPage]).toEqual([[5, 4, 3, 2], false]);
  });

  it('issuances cannot be searched by filters without an index, or by invalid ones', async () => {
    expect(await refusal({ status: 'ONCHAIN' }, operator)).toEqual([400, expect.stringContaining('issuedFrom')]);
    expect(await refusal({ userId: 'nobody' })).toEqual([400, expect.stringContaining('userId')]);
    expect(await refusal({ credentialId: '' })).toEqual([400, expect.stringContaining('credentialId')]);
    const times = { issuedFrom: '2026-01-02T00:00:00Z', issuedBefore: '2026-01-01T00:00:00Z' };
    expect(await refusal(times)).toEqual([400, expect.stringContaining('issuedBefore')]);
  });
});

describe('Batches', () => {
  const LIST = `query ($after: String) { batches(first: 2, after: $after) { totalCount
    nodes { jobId partnerId issuerDid credentialId dryRun state total createdAt finishedAt }
    pageInfo { hasNextPage endCursor } } }`;

  it('batches are found by the partner that lost their ids, newest first, and by operators', async () => {
    const create =
      'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
    const rows = [{ rowKey: 'a', email: HOLDERS[0], credentialSubject: { level: 1, since: '2024-01-01' } }];
    const jobIds: string[] = [];
    for (const dryRun of [true, false, true]) {
      const input = { issuerDid: world.issuerDid, credentialId: 'member', dryRun, rows };
      jobIds.push((await world.gateway.gql(create, { input }, mine)).data.issueOnBehalfBatch.job.jobId);
    }
    const page = async (after: string | null, headers = mine) =>
      (await world.gateway.gql(LIST, { after }, headers)).data.batches;
    const first = await page(null);
    const next = await page(first.pageInfo.endCursor);
    const found = [...first.nodes, ...next.nodes];
    expect(found.map(({ jobId }) => jobId)).toEqual(jobIds.reverse());
    expect(first.totalCount).toBe(3);
    expect(next.pageInfo.hasNextPage).toBe(false);
    const facts = { partnerId: world.partnerId, issuerDid: world.issuerDid, credentialId: 'member', total: 1 };
    expect(found.map(({ dryRun }) => dryRun)).toEqual([true, false, true]);
    for (const batch of found) expect(batch).toMatchObject(facts);
    expect((await page(null, { 'x-partner-auth': await other.token() })).nodes).toEqual([]);
    expect((await page(null, operator)).totalCount).toBe(3);
  });

  it('lists of batches are for partners with the scope issue, and operators', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await world.gateway.gql(LIST, {}, headers)).errors?.[0]?.extensions.httpStatus;
    expect(await ask({})).toBe(401);
    expect(await ask({ 'x-partner-auth': await world.token({}, 'verify') })).toBe(403);
    const session = await logIn(world.gateway, { ...world, rest: world.partner }, HOLDERS[0]);
    expect(await ask({ authorization: `Bearer ${session}` })).toBe(403);
  });
});

it('an operator can ask which key it has', async () => {
  const { gateway } = world;
  const who = async (headers: Record<string, string>) =>
    (await gateway.gql('{ whoAmI { kind role keyName partnerId } }', {}, headers)).data.whoAmI;
  expect(await who(operator)).toEqual({ kind: 'OPERATOR', role: 'ALL', keyName: 'configured', partnerId: null });
  const create = 'mutation { createOperatorKey(input: { name: "reader", role: READ }) { key } }';
  const { key } = (await gateway.gql(create, {}, operator)).data.createOperatorKey;
  expect(await who({ 'x-admin-api-key': key })).toMatchObject({ role: 'READ', keyName: 'reader' });
  expect(await who(mine)).toEqual({ kind: 'PARTNER', role: null, keyName: null, partnerId: world.partnerId });
});
