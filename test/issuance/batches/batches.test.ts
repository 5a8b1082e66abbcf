// Batches through GraphQL: a partner makes one, watches it, retries and cancels; what rows hold is gone when they are done.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DomainError } from '../../../src/base/errors.js';
import { dumpOf } from '../../support/database.js';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

const JOB = `jobId state dryRun finishedAt progress { total waiting issued checked failed cancelled }
  rows(first: 100) { totalCount pageInfo { hasNextPage } nodes { rowKey state coreClaimHash userUuid error { code message } } }`;
const CREATE = `mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { ${JOB} } } }`;

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;

const ask = async (query: string, variables: object, by = partner) =>
  gateway.gql(query, variables as Record<string, unknown>, { 'x-partner-auth': await by.token() });
const row = (rowKey: string, note: unknown = `canary-${rowKey}`) => ({
  rowKey,
  email: `${rowKey}@batch-canary.example`,
  credentialSubject: { note },
});
const create = (rows: object[], more: object = {}) =>
  ask(CREATE, { input: { issuerDid, credentialId: 'batch-credential', rows, ...more } });

async function job(jobId: string, by = partner) {
  const { data } = await ask(`query ($jobId: String!) { batch(jobId: $jobId) { ${JOB} } }`, { jobId }, by);
  return data.batch;
}

async function ended(jobId: string, by = partner) {
  let found = await job(jobId, by);
  await until(async () => {
    found = await job(jobId, by);
    return found.state === 'FINISHED' || found.state === 'CANCELLED';
  });
  return found;
}

async function finished(rows: object[], more: object = {}) {
  const { data, errors } = await create(rows, more);
  expect(errors).toBeUndefined();
  return ended(data.issueOnBehalfBatch.job.jobId);
}

const change = (mutation: 'retryBatch' | 'cancelBatch', jobId: string, by = partner) =>
  ask(`mutation ($input: BatchInput!) { ${mutation}(input: $input) { job { ${JOB} } } }`, { input: { jobId } }, by);

beforeAll(async () => {
  gateway = await startGateway();
  issuerDid = await registerIssuer(gateway, 'batch');
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(() => gateway.close());

describe('a batch', () => {
  it('a batch issues every row and has a result for each, in order', async () => {
    const { state, progress, rows, jobId } = await finished([row('a'), row('b'), row('c')]);
    expect(state).toBe('FINISHED');
    expect(progress).toEqual({ total: 3, waiting: 0, issued: 3, checked: 0, failed: 0, cancelled: 0 });
    expect(rows.nodes.map(({ rowKey }: { rowKey: string }) => rowKey)).toEqual(['a', 'b', 'c']);
    for (const result of rows.nodes) {
      expect(result).toMatchObject({
        state: 'ISSUED',
        error: null,
        userUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      const status = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${result.coreClaimHash}`);
      expect(status.body.vcStatus).toBe('WAIT_ONCHAIN');
    }
    const event = await gateway.app.connection.collection('events').findOne({ type: 'batch_finished' });
    expect(event?.payload).toEqual({ jobId, state: 'finished', dryRun: false, total: 3, done: 3, failed: 0 });
  });

  it.each([
    ['a text', '{"note":"canary"}'],
    ['a list', [{ note: 'canary' }]],
    ['a number', 5],
    ['true', true],
  ])('a batch is refused as a whole for a row whose subject is %s', async (_what, credentialSubject) => {
    const jobs = gateway.app.connection.collection('issuanceJobs');
    const before = await jobs.countDocuments();
    const rows = [row('good'), { ...row('odd'), credentialSubject }];
    const { errors } = await create(rows);
    expect(errors?.[0]).toMatchObject({
      message: '"rows[1].credentialSubject" must be an object.',
      extensions: { code: 'BAD_USER_INPUT', field: 'rows[1].credentialSubject' },
    });
    expect(await jobs.countDocuments()).toBe(before);
  });

  it('a batch has its results in pages', async () => {
    const { jobId } = await finished([row('p1'), row('p2'), row('p3')], { dryRun: true });
    const page = async (after: string | null) => {
      const query = `query ($jobId: String!, $after: String) { batch(jobId: $jobId) {
        rows(first: 2, after: $after) { nodes { rowKey } pageInfo { hasNextPage endCursor } } } }`;
      return (await ask(query, { jobId, after })).data.batch.rows;
    };
    const first = await page(null);
    expect([first.nodes, first.pageInfo.hasNextPage]).toEqual([[{ rowKey: 'p1' }, { rowKey: 'p2' }], true]);
    const second = await page(first.pageInfo.endCursor);
    expect([second.nodes, second.pageInfo.hasNextPage]).toEqual([[{ rowKey: 'p3' }], false]);
  });

  it('a batch stores nothing readable of a row, and nothing at all once it is issued', async () => {
    await finished([row('secret-1', 'plaintext-canary')]);
    const { rows } = await finished([row('secret-2', { 'key-canary': true })]);
    expect(rows.nodes[0].error.message).toContain('note');
    const text = await dumpOf(gateway.app.connection);
    for (const canary of ['plaintext-canary', 'key-canary', '@batch-canary.example'])
      expect(text).not.toContain(canary);
    const issued = await gateway.app.connection.collection('issuanceJobRows').findOne({ rowKey: 'secret-1' });
    expect(issued).toMatchObject({ state: 'issued' });
    expect(issued).not.toHaveProperty('sealed');
  });

  it('a dry run of a batch checks every row and issues nothing, and creates no holder', async () => {
    const { holders, issuances } = {
      holders: gateway.app.connection.collection('holders'),
      issuances: gateway.app.connection.collection('issuances'),
    };
    const before = [await holders.countDocuments(), await issuances.countDocuments()];
    const { progress, rows } = await finished(
      [row('dry-1'), row('dry-2', 5), { ...row('dry-3'), email: 'nobody' }, { ...row('dry-4'), email: null }],
      { dryRun: true },
    );
    expect(progress).toMatchObject({ checked: 1, failed: 3, issued: 0 });
    expect(
      rows.nodes.map(({ error }: { error: { code: string; message: string } | null }) => error?.message ?? null),
    ).toEqual([
      null,
      expect.stringContaining('note must be of type string'),
      expect.stringContaining('email'),
      expect.stringContaining('recipient'),
    ]);
    expect([await holders.countDocuments(), await issuances.countDocuments()]).toEqual(before);
  });

  it('a dry run of a batch counts the recipients that have a live credential of the kind', async () => {
    const { rows: issued } = await finished([row('held-1'), row('held-2')]);
    const revoke = 'mutation ($input: RevokeCredentialInput!) { revokeCredential(input: $input) { revokedAt } }';
    await ask(revoke, { input: { coreClaimHash: issued.nodes[1].coreClaimHash } });
    const spelled = { ...row('held-1'), rowKey: 'spelled', email: row('held-1').email.toUpperCase() };
    const sent = [row('held-1'), row('held-2'), row('held-3'), row('held-4', 5), spelled];
    const { jobId } = await finished(sent, { dryRun: true });
    const query =
      'query ($jobId: String!) { batch(jobId: $jobId) { progress { checked held failed } rows { nodes { state held } } } }';
    const { progress, rows } = (await ask(query, { jobId })).data.batch;
    expect(progress).toEqual({ checked: 4, held: 2, failed: 1 });
    expect(rows.nodes).toEqual([
      { state: 'CHECKED', held: true },
      { state: 'CHECKED', held: false },
      { state: 'CHECKED', held: false },
      { state: 'FAILED', held: null },
      { state: 'CHECKED', held: true },
    ]);
    const event = await gateway.app.connection
      .collection('events')
      .findOne({ 'payload.jobId': jobId, type: 'batch_finished' });
    expect(event?.payload).toMatchObject({ done: 4, failed: 1 });
  });

  it('a batch retries only failed rows, once the cause is removed', async () => {
    const by = await registerPartner(gateway, [issuerDid]);
    const input = { issuerDid, credentialId: 'batch-credential', rows: [row('r1'), row('r2', 7)] };
    const { data } = await ask(CREATE, { input }, by);
    const { jobId } = data.issueOnBehalfBatch.job;
    const results = () => ended(jobId, by);
    const first = await results();
    expect(first.rows.nodes).toMatchObject([
      { state: 'ISSUED' },
      { state: 'FAILED', error: { code: 'BAD_USER_INPUT' } },
    ]);
    const dataPoints = [{ name: 'note', type: 'integer', isRequired: true, description: '' }];
    await gateway.admin('PUT', '/v1/admin/schemas/batch-numbers', {
      body: { title: 'n', description: '', dataPoints },
    });
    const credential = { name: 'batch', category: 'Test', issuerId: 'batch', schemaId: 'batch-numbers' };
    await gateway.admin('PUT', '/v1/admin/credentials/batch-credential', { body: credential });
    expect((await change('retryBatch', jobId, by)).data.retryBatch.job.state).toBe('RUNNING');
    const second = await results();
    expect(second.rows.nodes).toMatchObject([first.rows.nodes[0], { state: 'ISSUED', error: null }]);
    await gateway.admin('PUT', '/v1/admin/credentials/batch-credential', {
      body: { ...credential, schemaId: 'batch-schema' },
    });
  });

  it('a batch later issues rows that could not be signed because the workers were busy', async () => {
    const sign = vi.spyOn(gateway.app.services.zkKeys, 'sign');
    onTestFinished(() => sign.mockRestore());
    sign.mockRejectedValueOnce(new DomainError('VERIFIER_BUSY', 'Signatures cannot be made now.'));
    const { rows } = await finished([row('busy')]);
    expect(rows.nodes).toMatchObject([{ state: 'ISSUED', error: null }]);
    expect(sign).toHaveBeenCalledTimes(2);
  });

  it('a batch fails the rows of a partner that may no longer issue', async () => {
    const by = await registerPartner(gateway, [issuerDid]);
    const rows = Array.from({ length: 3 }, (_, index) => row(`gone-${index}`, 9));
    const input = { issuerDid, credentialId: 'batch-credential', rows };
    const { jobId } = (await ask(CREATE, { input }, by)).data.issueOnBehalfBatch.job;
    expect((await gateway.admin('DELETE', `/v1/admin/partners/${by.partnerId}`)).status).toBe(204);
    const operator = { 'x-admin-api-key': gateway.operatorKey };
    for (;;) {
      // Rows that were under way when the partner went are asked again.
      await gateway.gql(`mutation { retryBatch(input: { jobId: "${jobId}" }) { job { state } } }`, {}, operator);
      const { data } = await gateway.gql(`{ batch(jobId: "${jobId}") { ${JOB} } }`, {}, operator);
      const codes = data.batch.rows.nodes.map(({ error }: { error: { code: string } | null }) => error?.code);
      if (codes.every((code: string | undefined) => code === 'FORBIDDEN')) break;
    }
  });

  it('a cancelled batch erases waiting rows, and stays cancelled', async () => {
    const { zkKeys } = gateway.app.services;
    const sign = zkKeys.sign.bind(zkKeys);
    let release = (): void => {};
    const cancelled = new Promise<void>((resolve) => {
      release = resolve;
    });
    const signing = vi.spyOn(zkKeys, 'sign').mockImplementation((...all) => cancelled.then(() => sign(...all)));
    onTestFinished(() => signing.mockRestore());
    const rows = Array.from({ length: 100 }, (_, index) => row(`cancel-${index}`, index === 0 ? 1 : 'x'));
    const { data } = await create(rows);
    const { jobId } = data.issueOnBehalfBatch.job;
    // Some rows are under way, and none is issued.
    await until(() => signing.mock.calls.length > 0);
    await change('cancelBatch', jobId);
    release();
    const { state, progress } = await ended(jobId);
    expect(state).toBe('CANCELLED');
    expect(progress.waiting).toBe(0);
    expect(progress.cancelled).toBeGreaterThan(0);
    expect(progress.issued + progress.failed + progress.cancelled).toBe(100);
    const left = { jobId, sealed: { $exists: true } };
    expect(await gateway.app.connection.collection('issuanceJobRows').countDocuments(left)).toBe(0);
    expect((await change('retryBatch', jobId)).errors?.[0]?.extensions.code).toBe('CONFLICT');
    expect(await gateway.app.connection.collection('issuances').countDocuments({ jobId })).toBe(progress.issued);
  });

  it('a batch is created once for an idempotency key', async () => {
    const made = async (rows: object[]) => create(rows, { idempotencyKey: 'batch-once', dryRun: true });
    const first = await made([row('i1')]);
    const again = await made([row('i1')]);
    expect(again.data.issueOnBehalfBatch.job.jobId).toBe(first.data.issueOnBehalfBatch.job.jobId);
    expect((await made([row('i2')])).errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('a batch belongs to its partner', async () => {
    const { jobId } = await finished([row('own')], { dryRun: true });
    const other = await registerPartner(gateway, [issuerDid]);
    const { errors } = await ask('query ($jobId: String!) { batch(jobId: $jobId) { state } }', { jobId }, other);
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    for (const mutation of ['retryBatch', 'cancelBatch'] as const)
      expect((await change(mutation, jobId, other)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const asNobody = await gateway.gql('query ($jobId: String!) { batch(jobId: $jobId) { state } }', { jobId });
    expect(asNobody.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it.each([
    ['two rows with one key', [row('same'), row('same')], 'BAD_USER_INPUT', 'rows[1].rowKey'],
    ['no rows', [], 'BAD_USER_INPUT', 'rows'],
    ['an empty key', [row('')], 'BAD_USER_INPUT', 'rows[0].rowKey'],
  ])('a batch refuses %s', async (_name, rows, code, field) => {
    expect((await create(rows)).errors?.[0]?.extensions).toMatchObject({ code, field });
  });

  it('a batch is refused at once if no row of it could be issued', async () => {
    expect((await create([row('n')], { credentialId: 'none' })).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const stranger = await registerPartner(gateway, []);
    const input = { issuerDid, credentialId: 'batch-credential', rows: [row('n')] };
    expect((await ask(CREATE, { input }, stranger)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
