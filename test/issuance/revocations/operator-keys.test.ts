// An idempotency-key belongs to one operator key: operators that choose the same text do not meet.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Membership, startMembership } from '../../support/membership.js';
import { type Ask, preview, start } from './support.js';

let world: Membership;
beforeAll(async () => {
  world = await startMembership();
});
afterAll(() => world?.gateway.close());

/** A named operator key that may do everything, new or rotated. */
async function operatorOf(name: string, field: 'createOperatorKey' | 'rotateOperatorKey' = 'createOperatorKey') {
  const role = field === 'createOperatorKey' ? ', role: ALL' : '';
  const mutation = `mutation { ${field}(input: { name: "${name}"${role} }) { key } }`;
  const { data } = await world.gateway.gql(mutation, {}, { 'x-admin-api-key': world.gateway.operatorKey });
  const own = { 'x-admin-api-key': data[field].key };
  const ask: Ask = (method, path, body, headers) =>
    world.gateway.rest(method, path, { body, headers: { ...headers, ...own } });
  return ask;
}

/** A token for one issuance more. */
async function tokenOf(ask: Ask): Promise<string> {
  await world.partner('POST', '/v1/credentials/issue-on-behalf', {
    ...{ issuerDid: world.issuerDid, credentialId: 'member', email: `${randomUUID()}@example.org` },
    credentialSubject: { level: 1, since: '2024-01-01' },
  });
  return (await preview(ask, { credentialId: 'member' })).token;
}

it('each operator key has idempotency keys of its own, also after its rotation', async () => {
  const shared = { 'idempotency-key': randomUUID() };
  const configured: Ask = (method, path, body, headers) => world.gateway.admin(method, path, { body, headers });
  const operators = [configured, await operatorOf('one'), await operatorOf('two')];
  const jobs = new Set<string>();
  for (const ask of operators) {
    const token = await tokenOf(ask);
    const first = await start(ask, token, shared);
    expect(first.status).toBe(202);
    jobs.add(first.body.jobId);
    expect((await start(ask, token, shared)).body.jobId).toBe(first.body.jobId);
    expect((await start(ask, 'x'.repeat(43), shared)).status).toBe(422);
  }
  expect(jobs.size).toBe(operators.length);
  const rotated = await operatorOf('one', 'rotateOperatorKey');
  expect((await start(rotated, 'x'.repeat(43), shared)).status).toBe(422);
});
