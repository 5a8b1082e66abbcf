// Named operator keys: what each role may do, rotation, withdrawal, and what is stored of them.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INTERNAL_OPERATORS } from '../../src/base/callers/caller.js';
import { RawSocket } from '../graphql/subscriptions/raw-socket.js';
import { eventually } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';

let now = Date.now();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: () => now });
  await registerIssuer(gateway, 'here');
});
afterAll(() => gateway.close());

const headersOf = (key: string) => ({ 'x-admin-api-key': key });
const asOperator = () => headersOf(gateway.operatorKey);

async function create(name: string, role: 'READ' | 'CATALOG' | 'ALL'): Promise<string> {
  const mutation = `mutation { createOperatorKey(input: { name: "${name}", role: ${role} }) { key operatorKey { name role } } }`;
  const { data } = await gateway.gql(mutation, {}, asOperator());
  expect(data.createOperatorKey.operatorKey).toEqual({ name, role });
  return data.createOperatorKey.key;
}
async function statusOf(key: string, method: string, path: string, body?: unknown): Promise<number> {
  return (await gateway.rest(method, path, { headers: headersOf(key), body })).status;
}
const isValid = async (key: string) => (await statusOf(key, 'GET', '/v1/admin/issuers')) === 200;
const codeOf = async (key: string, mutation: string) =>
  (await gateway.gql(`mutation { ${mutation} }`, {}, headersOf(key))).errors?.[0]?.extensions.code ?? 'ok';

const VERIFIER = { name: 'A verifier', verifierDid: 'did:web:verifier.example' };
const REVOKE = `revokeCredential(input: { coreClaimHash: "${'f'.repeat(64)}" }) { revokedAt }`;

it('the role "read" reads what operators read, and writes nothing', async () => {
  const key = await create('reader', 'READ');
  for (const path of ['/v1/admin/issuers', '/v1/admin/partners', '/v1/admin/issuers/here', '/metrics'])
    expect([path, await statusOf(key, 'GET', path)]).toEqual([path, 200]);
  const entries = await gateway.gql('{ auditEntries(first: 1) { totalCount } }', {}, headersOf(key));
  expect(entries.errors).toBeUndefined();
  expect(await statusOf(key, 'PUT', '/v1/admin/verifiers/v', VERIFIER)).toBe(403);
  expect(await statusOf(key, 'DELETE', '/v1/admin/issuers/here')).toBe(403);
  expect(await statusOf(key, 'DELETE', '/v1/admin/partners/00000000-0000-4000-8000-000000000000')).toBe(403);
  expect(await codeOf(key, REVOKE)).toBe('FORBIDDEN');
  expect(await statusOf(key, 'GET', '/v1/sandbox/mailbox?email=a@example.org')).toBe(403);
  const imported = await fetch(`${gateway.url}/v1/admin/import`, {
    method: 'POST',
    headers: { ...headersOf(key), 'content-type': 'application/x-ndjson' },
    body: JSON.stringify({ kind: 'verifiers', id: 'v', ...VERIFIER }),
  });
  expect(imported.status).toBe(403);
  for (const mutation of [
    'retireIssuer(input: { issuerId: "here" }) { retiredId }',
    'retryBatch(input: { jobId: "x" }) { job { jobId } }',
    'cancelBatch(input: { jobId: "x" }) { job { jobId } }',
    'retryChainJob(input: { jobId: "x" }) { job { jobId } }',
    'giveUpChainJob(input: { jobId: "x" }) { job { jobId } }',
    'createOperatorKey(input: { name: "mine", role: ALL }) { key }',
    'rotateOperatorKey(input: { name: "reader" }) { key }',
    'withdrawOperatorKey(input: { name: "reader" }) { operatorKey { name } }',
  ])
    expect([mutation, await codeOf(key, mutation)]).toEqual([mutation, 'FORBIDDEN']);
});

it('the role "catalog" writes the catalog as well, and nothing else', async () => {
  const key = await create('editor', 'CATALOG');
  expect(await statusOf(key, 'PUT', '/v1/admin/verifiers/v', VERIFIER)).toBe(200);
  expect(await statusOf(key, 'DELETE', '/v1/admin/verifiers/v')).toBe(204);
  expect(await statusOf(key, 'DELETE', '/v1/admin/partners/00000000-0000-4000-8000-000000000000')).toBe(403);
  expect(await codeOf(key, REVOKE)).toBe('FORBIDDEN');
  expect(await codeOf(key, 'createOperatorKey(input: { name: "mine", role: ALL }) { key }')).toBe('FORBIDDEN');
});

it('the role "all" does everything, and the audit log names its key', async () => {
  const key = await create('second.in-command', 'ALL');
  const other = await gateway.gql(
    'mutation { createOperatorKey(input: { name: "third", role: READ }) { key } }',
    {},
    headersOf(key),
  );
  expect(other.errors).toBeUndefined();
  const { data } = await gateway.gql(
    '{ auditEntries(first: 1, where: { subject: "third" }) { nodes { actor subject after } } }',
    {},
    headersOf(key),
  );
  const [entry] = data.auditEntries.nodes;
  expect([entry.actor, entry.subject]).toEqual(['operator second.in-command', 'third']);
  expect(JSON.stringify(entry)).not.toContain(other.data.createOperatorKey.key);
});

it('after a rotation both keys work for 24 hours, then the new one', async () => {
  const before = await create('rotated', 'READ');
  const { data } = await gateway.gql(
    'mutation { rotateOperatorKey(input: { name: "rotated" }) { key } }',
    {},
    asOperator(),
  );
  const { key } = data.rotateOperatorKey;
  expect([await isValid(before), await isValid(key)]).toEqual([true, true]);
  now += 24 * 3_600_000 + 1;
  expect([await isValid(before), await isValid(key)]).toEqual([false, true]);
});

it('a withdrawn key is refused, its sockets are closed, and its name is not used again', async () => {
  const key = await create('leaver', 'READ');
  expect(await isValid(key)).toBe(true);
  const socket = await RawSocket.open(gateway, { init: headersOf(key) });
  const withdrawn = await gateway.gql(
    'mutation { withdrawOperatorKey(input: { name: "leaver" }) { operatorKey { withdrawnAt } } }',
    {},
    asOperator(),
  );
  expect(withdrawn.data.withdrawOperatorKey.operatorKey.withdrawnAt).not.toBeNull();
  expect(await isValid(key)).toBe(false);
  expect(await socket.closed).toMatchObject({ code: 4403 });
  expect(await codeOf(gateway.operatorKey, 'createOperatorKey(input: { name: "leaver", role: READ }) { key }')).toBe(
    'CONFLICT',
  );
});

it('another gateway refuses a withdrawn key within seconds', async () => {
  const key = await create('everywhere', 'READ');
  const { name } = gateway.app.connection;
  const other = await startGateway({ env: { MONGODB_URI: databaseUri(name) }, clock: () => now });
  try {
    const status = async () => (await other.rest('GET', '/v1/admin/issuers', { headers: headersOf(key) })).status;
    expect(await status()).toBe(200);
    await gateway.gql(
      'mutation { withdrawOperatorKey(input: { name: "everywhere" }) { operatorKey { name } } }',
      {},
      asOperator(),
    );
    await eventually(async () => expect(await status()).toBe(403));
  } finally {
    await other.app.close();
  }
});

it.each(['configured', 'sample', 'cli', 'A', '', '-a', 'a b', 'x'.repeat(65)])(
  '"%s" cannot be the name of an operator key',
  async (name) => {
    expect(await codeOf(gateway.operatorKey, `createOperatorKey(input: { name: "${name}", role: READ }) { key }`)).toBe(
      'BAD_USER_INPUT',
    );
  },
);

it('keys are stored as hashes alone', async () => {
  const key = await create('hashed', 'READ');
  const rows = await gateway.app.connection.collection('operatorKeys').find().toArray();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(key.slice(8));
});

it.each(Object.keys(INTERNAL_OPERATORS))(
  'no key can have the name %s, which the audit log uses for another writer',
  async (name) => {
    expect(await codeOf(gateway.operatorKey, `createOperatorKey(input: { name: "${name}", role: READ }) { key }`)).toBe(
      'BAD_USER_INPUT',
    );
    // One that was made before the name was reserved can be withdrawn.
    const row = { _id: name, role: 'read', hash: name, createdAt: new Date(now) };
    await gateway.app.connection.collection('operatorKeys').insertOne(row as never);
    const withdraw = `withdrawOperatorKey(input: { name: "${name}" }) { operatorKey { name } }`;
    expect(await codeOf(gateway.operatorKey, withdraw)).toBe('ok');
  },
);

it('every operator without a key is in the list of internal ones', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const literals = sources.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(/keyName: (['"`][^'"`]+)/g)].map(([, name]) => `${file} ${name}`),
  );
  expect(literals).toEqual([]);
});
