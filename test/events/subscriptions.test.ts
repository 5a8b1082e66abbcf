// The subscription fields, over /graphql as text/event-stream: who may listen to what, and the graph behind each event.
import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { IssuanceService } from '../../src/issuance/issuance.service.js';
import type { EventType } from '../../src/store/event-types.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { SseClient } from './sse-client.js';
import { issueMember, settled } from './support.js';

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
  await settled(world.gateway);
  const stream = await SseClient.open(`${world.gateway.url}/graphql`, headers, { query });
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
  it('issuanceEvents sends a partner its own events, each with the credential, issuer and issuance', async () => {
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

  it('issuanceEvents sends only events that match `where`', async () => {
    const query = 'subscription { issuanceEvents(where: { type: { in: ["revoked"] } }) { type coreClaimHash } }';
    const read = await subscribe(query, await asPartner());
    const coreClaimHash = await issueMember(world, partner, 'revoked@example.org');
    await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
    expect(await read(1)).toEqual([{ type: 'revoked', coreClaimHash }]);
  });

  it('issuanceEvents is refused for anonymous callers, and for unknown filters', async () => {
    await expect(refusal('subscription { issuanceEvents { id } }')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const bad = 'subscription { issuanceEvents(where: { type: { eq: "logged_in" } }) { id } }';
    await expect(refusal(bad, await asPartner())).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'where.type',
    });
    const unset = 'subscription ($id: String) { issuanceEvents(where: { credentialId: { eq: $id } }) { id } }';
    await expect(refusal(unset, await asPartner())).rejects.toMatchObject({ field: 'where.credentialId' });
    const junk = 'subscription { issuanceEvents(after: "junk") { id } }';
    await expect(refusal(junk, await asPartner())).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' });
  });
});

describe('sdkEvents', () => {
  it("sdkEvents sends a holder the events of its own sessions, by the client SDK's names", async () => {
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

  it('sdkEvents is for holders', async () => {
    const query = 'subscription { sdkEvents { __typename } }';
    await expect(refusal(query, await asPartner())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(refusal(query)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('credentialStatusChanged', () => {
  it('credentialStatusChanged is for anyone, and begins after a given event', async () => {
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

  it('credentialStatusChanged is refused for a malformed or unknown hash', async () => {
    const of = (hash: string) => refusal(`subscription { credentialStatusChanged(coreClaimHash: "${hash}") { id } }`);
    await expect(of('x')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'coreClaimHash' });
    await expect(of('0'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('batchProgress', () => {
  const query = (jobId: string) =>
    `subscription { batchProgress(jobId: "${jobId}") { type jobId state total done failed batch { state } } }`;

  /** Makes a batch with a row for each level; answers its id. */
  async function batchOf(...levels: unknown[]): Promise<string> {
    const rows = levels.map((level, at) => ({
      rowKey: `${at}`,
      email: `row-${at}@example.org`,
      credentialSubject: { level, since: '2026-01-01' },
    }));
    const input = { issuerDid: world.issuerDid, credentialId: 'member', rows };
    const make = 'mutation($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
    return (await world.gateway.gql(make, { input }, await asPartner())).data.issueOnBehalfBatch.job.jobId;
  }

  /** Everything that a subscription brings, once the gateway has completed it. */
  async function completed(jobId: string) {
    const answer = await fetch(`${world.gateway.url}/graphql`, {
      method: 'POST',
      headers: { ...(await asPartner()), accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: query(jobId) }),
    });
    const text = await answer.text();
    expect(text).toMatch(/event: complete\n(data:.*\n)?\n?$/);
    return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) => JSON.parse(data).data.batchProgress);
  }

  it('batchProgress sends the progress of a batch and completes with its end, for early and late subscribers', async () => {
    const jobId = await batchOf(1, 2, 3);
    const finished = { type: 'batch_finished', jobId, state: 'FINISHED', total: 3, done: 3, failed: 0 };
    const early = await completed(jobId);
    expect(early.at(-1)).toEqual({ ...finished, batch: { state: 'FINISHED' } });
    expect(await completed(jobId)).toEqual([{ ...finished, batch: { state: 'FINISHED' } }]);
    const connectionParams = await asPartner();
    const url = `${world.gateway.url.replace('http', 'ws')}/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams });
    const overSocket: unknown[] = [];
    for await (const { data } of client.iterate<Record<string, unknown>>({ query: query(jobId) }))
      overSocket.push(data?.batchProgress);
    expect(overSocket).toEqual([{ ...finished, batch: { state: 'FINISHED' } }]);
    await client.dispose();
    const other = await registerPartner(world.gateway);
    await expect(refusal(query(jobId), { 'x-partner-auth': await other.token() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each(['the log', 'the batch'])(
    'batchProgress completes if the end comes while it reads %s, before any progress',
    async (slow) => {
      const { batches, events, eventFeed } = world.gateway.app.services;
      const told: EventType[] = [];
      onTestFinished(eventFeed.onEvents((some) => told.push(...some.map(({ type }) => type))));
      let issueNow = (): void => {};
      const mayIssue = new Promise<void>((resolve) => {
        issueNow = resolve;
      });
      const { issueOnBehalf } = IssuanceService.prototype;
      const issuing = vi.spyOn(IssuanceService.prototype, 'issueOnBehalf').mockImplementation(async function (
        this: IssuanceService,
        ...request
      ) {
        await mayIssue;
        return issueOnBehalf.apply(this, request);
      });
      onTestFinished(() => issuing.mockRestore());
      /** What was read before the batch ends, after it has ended. */
      const late = async <T>(read: Promise<T>): Promise<T> => {
        const before = await read;
        issueNow();
        await eventually(() => expect(told).toContain('batch_finished'));
        return before;
      };
      const jobId = await batchOf(1);
      const [find, newestOf] = [batches.find.bind(batches), events.newestOf.bind(events)];
      const spy =
        slow === 'the log'
          ? vi.spyOn(events, 'newestOf').mockImplementationOnce((...of) => late(newestOf(...of)))
          : vi.spyOn(batches, 'find').mockImplementationOnce((...of) => late(find(...of)));
      onTestFinished(() => spy.mockRestore());
      expect((await completed(jobId)).at(-1)).toMatchObject({ type: 'batch_finished', jobId, done: 1 });
    },
  );

  it('batchProgress starts again when the batch continues', async () => {
    const jobId = await batchOf(1, 'not a level');
    expect((await completed(jobId)).at(-1)).toMatchObject({ type: 'batch_finished', done: 1, failed: 1 });
    const retry = 'mutation($input: BatchInput!) { retryBatch(input: $input) { job { state } } }';
    const { data } = await world.gateway.gql(retry, { input: { jobId } }, await asPartner());
    expect(data.retryBatch.job.state).toBe('RUNNING');
    const again = await completed(jobId);
    expect(again.filter(({ type }) => type === 'batch_finished')).toHaveLength(1);
    const ends = world.gateway.app.connection
      .collection('events')
      .find({ type: 'batch_finished', 'payload.jobId': jobId });
    expect(await ends.toArray()).toHaveLength(2);
  });

  it('batchProgress completes at once if the end of the batch is no longer in the log', async () => {
    const jobId = await batchOf(1);
    await completed(jobId);
    const { connection } = world.gateway.app;
    // As events expire: with all before. Without the newest one alone, the next term would give its number again, to an event that nobody gets.
    await settled(world.gateway);
    await connection.collection('events').deleteMany({ seq: { $gt: 0 } });
    await connection
      .collection<{ _id: string }>('issuanceJobs')
      .updateOne({ _id: jobId }, { $set: { finishedAt: new Date(Date.now() - 7_200_000) } });
    expect(await completed(jobId)).toEqual([]);
  });
});

describe('catalogChanged and tractionChanged', () => {
  it('catalogChanged and tractionChanged send entries and counts to anyone, joint changes in one event', async () => {
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
    // Those before it may be of issuances of earlier tests.
    type Told = { credential: { traction: { issuanceCount: number } } };
    const told = async (count: number): Promise<Told[]> => (await traction(count)) as Told[];
    let events = await told(1);
    while ((events.at(-1)?.credential.traction.issuanceCount ?? 0) <= before) events = await told(events.length + 1);
    for (const event of events) expect(event).toMatchObject({ type: 'traction_changed', credentialId: 'member' });
  });

  it('tractionChanged refuses an unknown credential', async () => {
    const query = 'subscription { tractionChanged(credentialId: "nobody-knows") { id } }';
    await expect(refusal(query)).rejects.toMatchObject({ code: 'NOT_FOUND', field: 'credentialId' });
  });

  it('catalogChanged refuses unknown kinds and types', async () => {
    const query = 'subscription { catalogChanged(types: ["stored"]) { id } }';
    await expect(refusal(query)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'types' });
  });
});
