// Issuances at once share transactions, and each is still stored, announced, recorded and repeated as if it were alone.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { type RequestCommands, requestCommandsOf } from '../support/request-commands.js';

const AT_ONCE = 24;
let gateway: TestGateway;
let partners: [TestPartner, TestPartner];
let issuerDid: string;
let commands: RequestCommands;

beforeAll(async () => {
  gateway = await startGateway({ env: { ZK: 'off' }, monitorCommands: true });
  commands = requestCommandsOf(gateway);
  issuerDid = await registerIssuer(gateway, 'joined');
  partners = [await registerPartner(gateway, [issuerDid]), await registerPartner(gateway, [issuerDid])];
});
afterAll(() => gateway?.close());

const rows = (name: string) => gateway.app.connection.collection(name);
const partnerOf = (at: number): TestPartner => partners[at % 2] ?? partners[0];

/** Holders of the partners, in turn. */
const people = (count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const { body } = await partnerOf(at).rest('POST', '/v1/auth/initialize-user', { email: `${randomUUID()}@a.org` });
      return String(body.userId);
    }),
  );

const issueTo = (userId: string, at: number, key?: string) => {
  const body = { issuerDid, credentialId: 'joined-credential', credentialSubject: { note: 'n' }, userId };
  return partnerOf(at).rest(
    'POST',
    '/v1/credentials/issue-on-behalf',
    body,
    key === undefined ? {} : { 'idempotency-key': key },
  );
};

it('issuances at once need fewer commands, and each has its rows, its events and its audit entry', async () => {
  const holders = await people(AT_ONCE);
  const { result, commands: sent } = await commands.of(() => Promise.all(holders.map((id, at) => issueTo(id, at))));
  expect(result.map(({ status }) => status)).toEqual(holders.map(() => 200));
  expect(sent.filter((command) => command === 'insert issuances').length).toBeLessThan(AT_ONCE);
  const hashes = result.map(({ body }) => body.coreClaimHash);
  const ofHash = async (name: string, field: string) => {
    const found = await rows(name)
      .find({ [field]: { $in: hashes } })
      .sort({ _id: 1 })
      .toArray();
    return (hash: string) =>
      found.filter(
        (row) => field.split('.').reduce<unknown>((value, part) => Reflect.get(Object(value), part), row) === hash,
      );
  };
  const issuances = await ofHash('issuances', 'coreClaimHash');
  const stored = await ofHash('storedCredentials', 'coreClaimHash');
  const events = await ofHash('events', 'payload.coreClaimHash');
  const entries = await ofHash('auditEntries', 'subject');
  for (const [at, hash] of hashes.entries()) {
    const viewers = { partnerId: partnerOf(at).partnerId, holderId: holders[at] };
    expect(issuances(hash)).toMatchObject([{ ...viewers, live: true }]);
    expect(stored(hash)).toMatchObject([viewers]);
    expect(events(hash)).toMatchObject([
      { type: 'submitted', viewers, payload: { firstOfCredential: true, firstOfIssuer: true } },
      { type: 'stored', viewers },
    ]);
    expect(entries(hash)).toMatchObject([{ operation: 'issuance.issue', actor: `partner ${viewers.partnerId}` }]);
  }
  const requests = hashes.flatMap((hash) => entries(hash).map(({ requestId }) => requestId));
  expect(new Set(requests).size).toBe(AT_ONCE);
});

it('one that replaces another does not touch those beside it', async () => {
  const holders = await people(AT_ONCE);
  const earlier = [await issueTo(holders[10] ?? '', 10), await issueTo(holders[20] ?? '', 20)];
  const all = await Promise.all(holders.map((id, at) => issueTo(id, at)));
  expect(all.map(({ status }) => status)).toEqual(holders.map(() => 200));
  const issued = await rows('issuances')
    .find({ holderId: { $in: holders } })
    .toArray();
  expect(issued).toHaveLength(AT_ONCE + earlier.length);
  const hashesOf = (answers: readonly { body: { coreClaimHash: string } }[]) =>
    answers.map(({ body }) => body.coreClaimHash).sort();
  const stored = (live: boolean) => issued.filter((row) => row.live === live).map(({ coreClaimHash }) => coreClaimHash);
  expect(stored(true).sort()).toEqual(hashesOf(all));
  expect(stored(false).sort()).toEqual(hashesOf(earlier));
  const submitted = { type: 'submitted', 'viewers.holderId': { $in: holders } };
  expect(await rows('events').countDocuments(submitted)).toBe(AT_ONCE + earlier.length);
});

it('requests with keys get their own first response again', async () => {
  const holders = await people(AT_ONCE);
  const keyed = () => Promise.all(holders.map((id, at) => issueTo(id, at, `joined-${id}`)));
  const first = await keyed();
  expect(first.map(({ status }) => status)).toEqual(holders.map(() => 200));
  expect((await keyed()).map(({ body }) => body)).toEqual(first.map(({ body }) => body));
  expect(await rows('issuances').countDocuments({ holderId: { $in: holders } })).toBe(AT_ONCE);
});

it('issuances that conflict with a transaction that a killed gateway left open hold up no other ones', async () => {
  const holders = await people(AT_ONCE);
  const session = await gateway.app.connection.startSession();
  session.startTransaction();
  const left = holders.slice(0, 6).map((id) => ({ _id: `credential joined-credential ${id}` as never }));
  await rows('firstHoldings').insertMany(left, { session });
  const waiting = holders.slice(0, 6).map((id, at) => issueTo(id, at));
  const others = await Promise.all(holders.slice(6).map((id, at) => issueTo(id, at + 6)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  await session.abortTransaction();
  await session.endSession();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
});

it('while a new maximum is counted, issuances are counted up to it and not beyond', async () => {
  const [first = '', second = '', third = ''] = await people(3);
  expect((await issueTo(first, 0)).status).toBe(200);
  const path = '/v1/admin/credentials/joined-credential';
  const total = await rows('issuances').countDocuments({ credentialId: 'joined-credential' });
  const put = async (maximumIssuance: number | null): Promise<void> => {
    const body = { name: 'joined', category: 'Test', issuerId: 'joined', schemaId: 'joined-schema', maximumIssuance };
    expect((await gateway.admin('PUT', path, { body })).status).toBe(200);
  };
  const counts: unknown[] = [];
  const listen = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }): void => {
    if (commandName === 'aggregate' && command.aggregate === 'issuances') counts.push(command.pipeline);
  };
  const client = gateway.app.connection.getClient().on('commandStarted', listen);
  try {
    await put(total + 1);
    expect((await issueTo(second, 1)).status).toBe(200);
    expect((await issueTo(third, 0)).status).toBe(409);
    expect(counts).toHaveLength(2);
    for (const pipeline of counts) expect(pipeline).toContainEqual({ $limit: total + 1 });
  } finally {
    client.off('commandStarted', listen);
    await put(null);
  }
});
