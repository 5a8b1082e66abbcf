// The subscription fields, over /graphql as text/event-stream: who may listen to what, and the graph behind each event.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Membership, startMembership } from '../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { SseClient } from './sse-client.js';
import { issueMember } from './support.js';

let world: Membership;
let partner: TestPartner;
const open: SseClient[] = [];
beforeAll(async () => {
  world = await startMembership();
  partner = { ...world, rest: world.partner };
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => world.gateway.close());

const asPartner = async () => ({ 'x-partner-auth': await partner.token() });

/** Subscribes and waits until nothing of before can arrive any more; answers how to read the root field. */
async function subscribe(query: string, headers: Record<string, string> = {}) {
  const { app, url } = world.gateway;
  const { events } = app.connection.collections;
  await vi.waitFor(async () => expect(await events?.countDocuments({ pending: true })).toBe(0), 5_000);
  const stream = await SseClient.open(`${url}/graphql`, headers, { query });
  open.push(stream);
  return async (count: number) =>
    (await stream.count(count)).slice(0, count).map(({ data }) => {
      if (data?.errors) throw Object.assign(new Error(data.errors[0].message), data.errors[0].extensions);
      return Object.values(data.data)[0];
    });
}

/** The error that a subscription is refused with. */
async function refusal(query: string, headers: Record<string, string> = {}) {
  const read = await subscribe(query, headers).catch((error: Error) => {
    const [, body = '{}'] = /^\d+ (\{.*\})$/s.exec(error.message) ?? [];
    throw Object.assign(new Error(), JSON.parse(body).errors?.[0]?.extensions);
  });
  return read(1);
}

describe('issuanceEvents', () => {
  it('brings a partner its own, with the credential, the issuer and the issuance behind each', async () => {
    const query = `subscription { issuanceEvents { id type at coreClaimHash storagePath
      credential { credentialId name issuer { name } } issuer { issuerId } schema { title } issuance { vcStatus } } }`;
    const read = await subscribe(query, await asPartner());
    const other = await registerPartner(world.gateway, [world.issuerDid]);
    await issueMember(world, other, 'others@example.org');
    const coreClaimHash = await issueMember(world, partner, 'ada@example.org');
    const [submitted, stored] = await read(2);
    expect(submitted).toEqual({
      id: expect.any(String),
      type: 'submitted',
      at: expect.any(String),
      coreClaimHash,
      storagePath: null,
      credential: { credentialId: 'member', name: 'Member', issuer: { name: 'Club' } },
      issuer: { issuerId: 'club' },
      schema: { title: 'Membership' },
      issuance: { vcStatus: 'WAIT_ONCHAIN' },
    });
    expect(stored).toMatchObject({ type: 'stored', storagePath: expect.stringMatching(/^dstorage:/) });
  });

  it('brings only what `where` lets through', async () => {
    const query = 'subscription { issuanceEvents(where: { type: { in: ["revoked"] } }) { type coreClaimHash } }';
    const read = await subscribe(query, await asPartner());
    const coreClaimHash = await issueMember(world, partner, 'revoked@example.org');
    await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
    expect(await read(1)).toEqual([{ type: 'revoked', coreClaimHash }]);
  });

  it('is refused to nobody in particular, and for what it does not have', async () => {
    await expect(refusal('subscription { issuanceEvents { id } }')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const bad = 'subscription { issuanceEvents(where: { type: { eq: "logged_in" } }) { id } }';
    await expect(refusal(bad, await asPartner())).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'where.type',
    });
    const junk = 'subscription { issuanceEvents(after: "junk") { id } }';
    await expect(refusal(junk, await asPartner())).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' });
  });
});

describe('sdkEvents', () => {
  it("brings a holder its own sessions' events, named as the source names them", async () => {
    const authorization = `Bearer ${await logIn(world.gateway, partner, 'sdk@example.org')}`;
    const query = `subscription { sdkEvents { __typename ... on NetworkEvent { type }
      ... on InitializedEvent { result { rehydrated } } ... on LoggedInEvent { result { isLoggedIn token } } } }`;
    const read = await subscribe(query, { authorization });
    await logIn(world.gateway, partner, 'somebody-else@example.org');
    await world.gateway.rest('POST', '/v1/auth/rehydrate', { headers: { authorization } });
    await logIn(world.gateway, partner, 'sdk@example.org');
    expect(await read(2)).toEqual([
      { __typename: 'InitializedEvent', type: 'initialized', result: { rehydrated: true } },
      { __typename: 'LoggedInEvent', type: 'logged_in', result: { isLoggedIn: true, token: null } },
    ]);
  });

  it('is for holders', async () => {
    const query = 'subscription { sdkEvents { __typename } }';
    await expect(refusal(query, await asPartner())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(refusal(query)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('credentialStatusChanged', () => {
  it('tells anyone, from behind the event it is given', async () => {
    const coreClaimHash = await issueMember(world, partner, 'status@example.org');
    const { nextAfter } = (await partner.rest('GET', '/v1/events')).body;
    const query = `subscription { credentialStatusChanged(coreClaimHash: "${coreClaimHash}", after: "${nextAfter}") {
      type status { vcStatus issuerId } } }`;
    await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
    const read = await subscribe(query);
    const events = (await read(1)) as { type: string }[];
    const last = events[0]?.type === 'revoked' ? events : await read(2);
    expect(last.at(-1)).toEqual({ type: 'revoked', status: { vcStatus: 'REMOVE', issuerId: 'club' } });
  });

  it('is refused for a hash that is none, or of nothing', async () => {
    const of = (hash: string) => refusal(`subscription { credentialStatusChanged(coreClaimHash: "${hash}") { id } }`);
    await expect(of('x')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'coreClaimHash' });
    await expect(of('0'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('batchProgress', () => {
  it('tells how far a batch is, and at once what was told last, until it has finished', async () => {
    const rows = Array.from({ length: 3 }, (_, at) => ({
      rowKey: `${at}`,
      email: `row-${at}@example.org`,
      credentialSubject: { level: 1, since: '2026-01-01' },
    }));
    const input = { issuerDid: world.issuerDid, credentialId: 'member', rows };
    const make = 'mutation($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
    const { data } = await world.gateway.gql(make, { input }, await asPartner());
    const { jobId } = data.issueOnBehalfBatch.job;
    const query = `subscription { batchProgress(jobId: "${jobId}") { type jobId state total done failed batch { state } } }`;
    const finished = { type: 'batch_finished', jobId, state: 'FINISHED', total: 3, done: 3, failed: 0 };
    const read = await subscribe(query, await asPartner());
    await vi.waitFor(async () => expect((await read(1)).at(-1)).toMatchObject({ jobId, total: 3 }), 10_000);
    const { batches } = world.gateway.app.services;
    await vi.waitFor(
      async () => expect((await batches.find({ kind: 'operator' }, jobId)).state).toBe('finished'),
      10_000,
    );
    const late = await subscribe(query, await asPartner());
    expect(await late(1)).toEqual([{ ...finished, batch: { state: 'FINISHED' } }]);
    const other = await registerPartner(world.gateway);
    await expect(refusal(query, { 'x-partner-auth': await other.token() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('catalogChanged and tractionChanged', () => {
  it('tell anyone of entries and counts, what changes together as one', async () => {
    const changed = await subscribe(
      'subscription { catalogChanged(kinds: ["verifiers"]) { type changes { type kind entryId node { id ... on Verifier { name } } } } }',
    );
    const traction = await subscribe(
      'subscription { tractionChanged(credentialId: "member") { type credentialId credential { traction { issuanceCount } } } }',
    );
    const body = { name: 'Harbour', verifierDid: 'did:web:harbour.example' };
    await world.gateway.admin('PUT', '/v1/admin/verifiers/harbour', { body });
    expect(await changed(1)).toEqual([
      {
        type: 'catalog_entry_added',
        changes: [
          {
            type: 'catalog_entry_added',
            kind: 'verifiers',
            entryId: 'harbour',
            node: { id: expect.any(String), name: 'Harbour' },
          },
        ],
      },
    ]);
    const before = (await world.gateway.rest('GET', '/v1/catalog/credentials/member')).body.data.traction.issuanceCount;
    await issueMember(world, partner, 'counted@example.org');
    const [event] = (await traction(1)) as { credential: { traction: { issuanceCount: number } } }[];
    expect(event).toMatchObject({ type: 'traction_changed', credentialId: 'member' });
    expect(event?.credential.traction.issuanceCount).toBeGreaterThanOrEqual(before);
  });

  it('refuse a credential that there is not', async () => {
    const query = 'subscription { tractionChanged(credentialId: "nobody-knows") { id } }';
    await expect(refusal(query)).rejects.toMatchObject({ code: 'NOT_FOUND', field: 'credentialId' });
  });

  it('refuse kinds and types that there are not', async () => {
    const query = 'subscription { catalogChanged(types: ["stored"]) { id } }';
    await expect(refusal(query)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'types' });
  });
});
