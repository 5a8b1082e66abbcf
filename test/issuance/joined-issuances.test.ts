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
