// Revocation by filter: a preview counts, its token revokes exactly that, once; by partners what they issued, by operators anything.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Membership, SCHEMA, startMembership } from '../../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import { type Ask, copiesOf, finished, listOf, preview, revoke, settledListOf, start } from './support.js';

let ahead = 0;
let world: Membership;
let other: TestPartner;
let asPartner: Ask;
let asOperator: Ask;
beforeAll(async () => {
  world = await startMembership({ clock: () => Date.now() + ahead });
  other = await registerPartner(world.gateway, [world.issuerDid]);
  asPartner = world.partner;
  asOperator = (method, path, body, headers) => world.gateway.admin(method, path, { body, headers });
});
afterAll(() => world?.gateway.close());

const database = () => world.gateway.app.connection;

/** A new credential of the issuer, so that a filter by it is of one test alone. */
async function newCredential(): Promise<string> {
  const id = randomUUID();
  const body = { name: id, category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
  await world.gateway.admin('PUT', `/v1/admin/credentials/${id}`, { body });
  return id;
}

async function issue(credentialId: string, by: Ask = asPartner, more: object = {}): Promise<string> {
  const credentialSubject = { level: 1, since: '2024-01-01' };
  const email = `${randomUUID()}@example.org`;
  const request = { issuerDid: world.issuerDid, credentialId, credentialSubject, email, ...more };
  const { status, body } = await by('POST', '/v1/credentials/issue-on-behalf', request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.coreClaimHash;
}

async function isRevoked(coreClaimHash: string): Promise<boolean> {
  const row = await database().collection('issuances').findOne({ coreClaimHash });
  return row?.revokedAt instanceof Date;
}
const revokedOf = (hashes: readonly string[]) => Promise.all(hashes.map(isRevoked));

describe('A preview', () => {
  it('a preview counts, shows a sample, and changes nothing', async () => {
    const credentialId = await newCredential();
    const hashes = [await issue(credentialId), await issue(credentialId)];
    const answer = await preview(asPartner, { credentialId });
    expect(answer).toMatchObject({ count: 2, token: expect.stringMatching(/^[\w-]{43}$/) });
    expect(Date.parse(answer.expiresAt) - Date.parse(answer.previewedAt)).toBe(15 * 60_000);
    const sampled = answer.sample.map(({ coreClaimHash }: { coreClaimHash: string }) => coreClaimHash);
    expect(sampled.sort()).toEqual([...hashes].sort());
    expect(await revokedOf(hashes)).toEqual([false, false]);
  });

  it('a preview has a sample of at most ten, and no token if nothing matches', async () => {
    const credentialId = await newCredential();
    expect(await preview(asPartner, { credentialId })).toMatchObject({ count: 0, token: null, sample: [] });
    await copiesOf(database(), await issue(credentialId), 20);
    const answer = await preview(asPartner, { credentialId });
    expect([answer.count, answer.sample.length]).toEqual([21, 10]);
  });

  it('a preview matches what the partner issued, and for an operator what anyone issued', async () => {
    const credentialId = await newCredential();
    await issue(credentialId);
    await issue(credentialId, other.rest);
    const counts = [
      (await preview(asPartner, { credentialId })).count,
      (await preview(asOperator, { credentialId })).count,
      (await preview(asOperator, { credentialId, partnerId: other.partnerId })).count,
    ];
    expect(counts).toEqual([1, 2, 1]);
  });

  it('a preview is narrowed by every member of the filter', async () => {
    const credentialId = await newCredential();
    const ids = ['a@example.org', 'b@example.org'];
    const hashes = [await issue(credentialId, asPartner, { email: ids[0] })];
    const between = new Date().toISOString();
    hashes.push(await issue(credentialId, asPartner, { email: ids[1] }));
    const rows = database().collection('issuances');
    const [first, second] = await Promise.all(hashes.map((coreClaimHash) => rows.findOne({ coreClaimHash })));
    await rows.updateOne({ _id: first?._id }, { $set: { expiresAt: new Date(0) } });
    const jobId = randomUUID();
    await rows.updateOne({ _id: second?._id }, { $set: { jobId, rowKey: '1', createdAt: new Date(Date.now() + 1) } });
    const only = async (filter: object) => {
      const { count, sample } = await preview(asPartner, { credentialId, ...filter });
      return [count, sample[0]?.coreClaimHash];
    };
    expect(await only({ userId: first?.holderId })).toEqual([1, hashes[0]]);
    expect(await only({ holderDid: second?.holderDid })).toEqual([1, hashes[1]]);
    expect(await only({ batchId: jobId })).toEqual([1, hashes[1]]);
    expect(await only({ issuedBefore: between })).toEqual([1, hashes[0]]);
    expect(await only({ issuedFrom: between })).toEqual([1, hashes[1]]);
    expect(await only({ status: 'EXPIRE' })).toEqual([1, hashes[0]]);
    expect(await only({ status: 'ONCHAIN' })).toEqual([0, undefined]);
    expect(await only({ status: 'WAIT_ONCHAIN' })).toEqual([1, hashes[1]]);
    expect((await only({ schemaId: SCHEMA.$id, issuerDid: world.issuerDid }))[0]).toBe(2);
    expect((await only({ schemaId: 'another' }))[0]).toBe(0);
  });

  it.each([
    [{}, 'The filter must have at least one'],
    [{ status: 'ONCHAIN' }, 'The filter must have at least one'],
    [{ credentialId: { $ne: '' } }, '"credentialId" must be a string'],
    [{ issuedFrom: 'yesterday' }, '"issuedFrom" must be a date-time'],
    [{ issuedFrom: '2026-01-02T00:00:00Z', issuedBefore: '2026-01-01T00:00:00Z' }, '"issuedBefore" must be after'],
    [{ credentialId: 'x', more: 1 }, '"more" is not a field'],
    [{ partnerId: '00000000-0000-4000-8000-000000000000' }, '"partnerId" is for operators'],
  ])('a preview is refused for %j', async (filter, message) => {
    const { status, body } = await asPartner('POST', '/v1/revocations/previews', filter);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('a preview is for partners with the scope issue, and operators with the role all', async () => {
    const { gateway, token } = world;
    const session = await logIn(gateway, { ...world, rest: world.partner }, 'holder@example.org');
    const by = async (headers: Record<string, string>) =>
      (await gateway.rest('POST', '/v1/revocations/previews', { body: { credentialId: 'x' }, headers })).status;
    const create = { name: `r-${randomUUID().slice(0, 8)}`, role: 'catalog' };
    const mutation = 'mutation ($input: CreateOperatorKeyInput!) { createOperatorKey(input: $input) { key } }';
    const { data } = await gateway.gql(
      mutation,
      { input: { ...create, role: 'CATALOG' } },
      { 'x-admin-api-key': gateway.operatorKey },
    );
    expect([
      await by({}),
      await by({ 'x-partner-auth': await token({}, 'verify') }),
      await by({ authorization: `Bearer ${session}` }),
      await by({ 'x-admin-api-key': data.createOperatorKey.key }),
    ]).toEqual([401, 403, 403, 403]);
  });
});

describe('A token', () => {
  it('a token revokes exactly what was previewed, not later issuances, and reports these', async () => {
    const credentialId = await newCredential();
    const before = [await issue(credentialId), await issue(credentialId)];
    const { token } = await preview(asPartner, { credentialId });
    const after = [await issue(credentialId)];
    await asPartner('POST', '/v1/credentials/revoke', { coreClaimHash: before[0] });
    after.push(await issue(credentialId), await issue(credentialId));
    const { status, body } = await start(asPartner, token);
    expect([status, body]).toEqual([202, expect.objectContaining({ count: 2, filter: { credentialId } })]);
    const job = await finished(asPartner, body.jobId);
    expect(job).toMatchObject({ count: 2, done: 2, revoked: 1, revokedBefore: 1, initialMatches: 4 });
    expect(job.note).toMatch(/^The preview of .* matched 2; at the start, 4 matched\. Only those of the preview/);
    expect([await revokedOf(before), await revokedOf(after)]).toEqual([
      [true, true],
      [false, false, false],
    ]);
  });

  it('a token works once, and again only for the same request', async () => {
    const credentialId = await newCredential();
    await issue(credentialId);
    const { token } = await preview(asPartner, { credentialId });
    const key = { 'idempotency-key': randomUUID() };
    const [first, second] = [await start(asPartner, token, key), await start(asPartner, token, key)];
    expect([first.status, second.status, second.body.jobId]).toEqual([202, 202, first.body.jobId]);
    const again = await start(asPartner, token);
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining(first.body.jobId)]);
    const answers = await Promise.all(
      await preview(asPartner, { credentialId: await withOne() }).then(({ token: fresh }) =>
        Array.from({ length: 6 }, () => start(asPartner, fresh)),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
  });

  const withOne = async (): Promise<string> => {
    const credentialId = await newCredential();
    await issue(credentialId);
    return credentialId;
  };

  it('a token does not work for another partner or operator, and neither does a wrong one', async () => {
    const { token } = await preview(asPartner, { credentialId: await withOne() });
    const foreign = [await start(other.rest, token), await start(asOperator, token)];
    const unknown = await start(asPartner, 'x'.repeat(43));
    expect(foreign.map(({ body }) => body)).toEqual([unknown.body, unknown.body]);
    expect(unknown.status).toBe(404);
    expect((await start(asPartner, 'short')).status).toBe(400);
    expect((await start(asPartner, token)).status).toBe(202);
  });

  it('a token expires after 15 minutes', async () => {
    const credentialId = await withOne();
    // The operator's key does not expire with the clock.
    const { token } = await preview(asOperator, { credentialId });
    ahead = 15 * 60_000;
    try {
      expect((await start(asOperator, token)).status).toBe(410);
    } finally {
      ahead = 0;
    }
    expect((await preview(asPartner, { credentialId })).count).toBe(1);
  });

  it('a token is stored as a hash', async () => {
    const { token } = await preview(asPartner, { credentialId: await withOne() });
    await start(asPartner, token, { 'idempotency-key': randomUUID() });
    const collections = await database().listCollections();
    for (const { name } of collections)
      expect(JSON.stringify(await database().collection(name).find().toArray())).not.toContain(token);
  });
});

describe('A revocation by filter', () => {
  it('a revocation by filter does the same for each issuance as a single one: event, audit entry, status, status list', async () => {
    const credentialId = await newCredential();
    const hashes = [await issue(credentialId), await issue(credentialId)];
    const { set } = await settledListOf(world.gateway);
    const job = await revoke(asPartner, { credentialId });
    expect(job).toMatchObject({ state: 'finished', revoked: 2, note: null, finishedAt: expect.any(String) });
    const events = await database()
      .collection('events')
      .find({ type: 'revoked', 'payload.credentialId': credentialId })
      .toArray();
    expect(events.map(({ payload }) => payload.coreClaimHash).sort()).toEqual([...hashes].sort());
    expect(events.every(({ viewers }) => viewers.partnerId === world.partnerId && viewers.holderId)).toBe(true);
    const audit = database().collection('auditEntries');
    const entries = await audit.find({ operation: 'issuance.revoke', subject: { $in: hashes } }).toArray();
    expect(entries.map(({ actor, kid }) => [actor, kid])).toEqual([
      [`partner ${world.partnerId}`, 'k1'],
      [`partner ${world.partnerId}`, 'k1'],
    ]);
    const started = await audit.findOne({ operation: 'revocation.start', subject: job.jobId });
    expect(JSON.parse(String(started?.after))).toMatchObject({ filter: { credentialId }, count: 2, state: 'running' });
    for (const hash of hashes) {
      const { body } = await world.gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`);
      expect(body.vcStatus).toBe('REMOVE');
    }
    expect((await listOf(world.gateway)).set).toBe(set + 2);
  });

  it('a revocation by filter queues the removal of claims on the chain', async () => {
    const credentialId = await newCredential();
    const hash = await issue(credentialId);
    const rows = database().collection('issuances');
    await rows.updateOne(
      { coreClaimHash: hash },
      { $set: { anchoredAt: new Date(), anchorBatch: 'x' }, $unset: { toAnchor: 1 } },
    );
    const another = await issue(credentialId);
    await revoke(asPartner, { credentialId });
    expect(await rows.findOne({ coreClaimHash: hash })).toMatchObject({ toRemove: expect.any(Date), live: false });
    const row = await rows.findOne({ coreClaimHash: another });
    expect([row?.toRemove, row?.toAnchor]).toEqual([undefined, undefined]);
  });

  it('a revocation by filter can be read by its partner and by operators, and by nobody else', async () => {
    const credentialId = await newCredential();
    await issue(credentialId);
    const { jobId } = await revoke(asPartner, { credentialId });
    const path = `/v1/revocations/${jobId}`;
    const statuses = [(await asOperator('GET', path)).status, (await other.rest('GET', path)).status];
    expect(statuses).toEqual([200, 404]);
  });

  it('a revocation by filter is the same in GraphQL, with its progress as a subscription', async () => {
    const credentialId = await newCredential();
    await issue(credentialId);
    const headers = { 'x-partner-auth': await world.token() };
    const makePreview =
      'mutation ($input: PreviewRevocationInput!) { previewRevocation(input: $input) { token count expiresAt sample { coreClaimHash } } }';
    const previewed = await world.gateway.gql(
      makePreview,
      { input: { credentialId, issuedFrom: '2020-01-01T00:00:00Z' } },
      headers,
    );
    const { token, count, sample } = previewed.data.previewRevocation;
    expect([count, sample.length]).toEqual([1, 1]);
    const confirm =
      'mutation ($input: ConfirmRevocationInput!) { confirmRevocation(input: $input) { job { jobId state count filter { credentialId issuedFrom } } } }';
    const confirmed = await world.gateway.gql(confirm, { input: { token } }, headers);
    const { job } = confirmed.data.confirmRevocation;
    expect(job).toMatchObject({ count: 1, filter: { credentialId, issuedFrom: '2020-01-01T00:00:00.000Z' } });
    const response = await fetch(`${world.gateway.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `subscription { revocationProgress(jobId: "${job.jobId}") { type jobId state total done revoked } }`,
      }),
    });
    const text = await response.text();
    const events = [...text.matchAll(/^data: (\{.*\})$/gm)].map(
      ([, data = '']) => JSON.parse(data).data.revocationProgress,
    );
    const last = { type: 'revocation_finished', jobId: job.jobId, state: 'FINISHED', total: 1, done: 1, revoked: 1 };
    expect(events.at(-1)).toEqual(last);
    const query = 'query ($jobId: String!) { revocationJob(jobId: $jobId) { state revoked revokedBefore note } }';
    const { data } = await world.gateway.gql(query, { jobId: job.jobId }, headers);
    expect(data.revocationJob).toEqual({ state: 'FINISHED', revoked: 1, revokedBefore: 0, note: null });
  });
});
