// Every door through which operators and partners write, each with a request that writes and the operation that it is.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { chainModels } from '../../src/chain/models.js';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { holderModels } from '../../src/holders/models.js';
import type { AuditOperation } from '../../src/store/audit-operations.js';
import { documentOf } from '../support/document-of.js';
import { encrypt } from '../support/holder-device.js';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';
import { allowOrigins, logIn } from '../support/partner.js';
import { putProgram } from '../verification/world.js';
import { startAuthority, type TestAuthority } from '../certificates/openssl.js';
import { ORIGIN, offerDoors, revocationDoors, walletDoors, webhookDoors } from './partner-doors.js';

/** A gateway without a chain, and one with a chain that is away. */
let world: Membership;
let chained: Membership;
/** Signs certificates. */
let authority: TestAuthority | undefined;

/** Starts both. */
export async function startWorlds(): Promise<{ world: Membership; chained: Membership }> {
  // An https address: the key of an issuer whose DID is its key cannot be changed.
  world = await startMembership({ env: { PUBLIC_URL: 'https://gateway.example' } });
  const rpc = { CHAIN_RPC_URL: 'http://127.0.0.1:9', CHAIN_ID: '31337', RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}` };
  chained = await startMembership({ env: rpc });
  await putProgram({ gateway: world.gateway }, 'levels', ['level = 1']);
  await allowOrigins(world.gateway, world.partnerId, [ORIGIN]);
  return { world, chained };
}

export type Door = [door: string, operation: AuditOperation, act: () => Promise<Acted>];
/** The request that wrote: `x-request-id` of its response. */
export type Acted = { requestId: string; status: number; body: string };

async function acted(response: Response): Promise<Acted> {
  const { headers, status } = response;
  return { requestId: headers.get('x-request-id') ?? '', status, body: await response.text() };
}

export async function call(
  of: Membership,
  method: string,
  path: string,
  headers: object,
  body?: unknown,
): Promise<Acted> {
  const text = typeof body === 'string';
  const type = { 'content-type': text ? 'application/x-ndjson' : 'application/json' };
  return acted(
    await fetch(of.gateway.url + path, {
      method,
      headers: { ...(body === undefined ? {} : type), ...headers } as Record<string, string>,
      ...(body === undefined ? {} : { body: text ? body : JSON.stringify(body) }),
    }),
  );
}

export const schema = buildGatewaySchema({ catalogEnabled: true });
async function mutate(of: Membership, field: string, headers: object, input: object): Promise<Acted> {
  const { query, variables } = documentOf(schema, 'mutation', field, { input });
  const answer = await call(of, 'POST', '/graphql', headers, { query, variables });
  const { data } = JSON.parse(answer.body);
  return data?.[field] ? answer : { ...answer, status: 400 };
}

const operator = () => ({ 'x-admin-api-key': world.gateway.operatorKey });
export const asOperator = (method: string, path: string, body?: unknown) => call(world, method, path, operator(), body);
export const asPartner = async (
  method: string,
  path: string,
  body?: unknown,
  scope = 'issue',
  of = world,
  claims = {},
) => call(of, method, path, { 'x-partner-auth': await of.token(claims, scope) }, body);
export const byOperator = (field: string, input: object) => mutate(world, field, operator(), input);
const byPartner = async (field: string, input: object, scope = 'issue', of = world, claims = {}) =>
  mutate(of, field, { 'x-partner-auth': await of.token(claims, scope) }, input);

export const id = () => randomUUID();
export const path = (kind: string, name: string) => `/v1/admin/${kind}/${encodeURIComponent(name)}`;
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k' };
const partnerBody = () => ({
  ...{ name: 'Other', jwks: { keys: [key] }, scopes: ['issue'], issuerDids: [], issueOnBehalf: false },
  ...{ allowedOrigins: [], requireTyp: true },
});
const dataPoints = [{ name: 'note', title: 'Note', type: 'string', isRequired: true, description: '' }];
export const issuer = (name: string) => ({ name, issuerDid: `did:web:${name}.example`, issuerFrom: 'EU' });
export const verifier = (name: string) => ({ name, verifierDid: `did:web:${name}.example` });
const aSchema = () => ({ title: 'Note', description: '', dataPoints });
export const SCHEMA_ID = 'https://schemas.example/membership.json';
export const credential = () => ({ name: 'Pass', category: 'Club', issuerId: 'club', schemaId: SCHEMA_ID });
const program = () => ({
  ...{ name: 'Gate', description: '', verifierId: 'agency', pricingModel: 'free' },
  acceptedCredentials: [{ credentialId: 'member', verificationConditions: ['level = 1'] }],
});
const BODIES: Record<string, (name: string) => object> = {
  issuer,
  verifier,
  schema: aSchema,
  credential,
  program,
};

/** The doors of keys and certificates of what has keys. */
function certificateDoors(noun: 'issuer' | 'verifier', name: string): Door[] {
  const at = path(`${noun}s`, name);
  return [
    [
      `PUT /v1/admin/${noun}s/:id/certificate`,
      `${noun}.certificate`,
      async () => {
        const { body } = await asOperator('GET', `${at}/csr`);
        authority ??= startAuthority();
        return asOperator('PUT', `${at}/certificate`, { chain: authority.sign(body) });
      },
    ],
    [`POST /v1/admin/${noun}s/:id/rotate-key`, `${noun}.rotate-key`, () => asOperator('POST', `${at}/rotate-key`)],
  ];
}

/** The four doors of a kind of the catalog. */
function catalogDoors(noun: 'issuer' | 'verifier' | 'schema' | 'credential' | 'program'): Door[] {
  const name = `a-${noun}`;
  const body = () => BODIES[noun]?.(name) ?? {};
  const title = noun[0]?.toUpperCase() + noun.slice(1);
  const put = () => asOperator('PUT', path(`${noun}s`, name), body());
  return [
    [`PUT /v1/admin/${noun}s/:id`, `${noun}.put`, put],
    [`DELETE /v1/admin/${noun}s/:id`, `${noun}.retire`, () => asOperator('DELETE', path(`${noun}s`, name))],
    [`put${title}`, `${noun}.put`, () => byOperator(`put${title}`, { [`${noun}Id`]: name, ...body() })],
    [`retire${title}`, `${noun}.retire`, () => byOperator(`retire${title}`, { [`${noun}Id`]: name })],
  ];
}

export const subject = { level: 1, since: '2024-01-01' };
export const issueBody = (email = EMAIL) => ({
  ...{ issuerDid: world.issuerDid, credentialId: 'member', credentialSubject: subject },
  email,
});
async function issued(): Promise<string> {
  const { body } = await asPartner('POST', '/v1/credentials/issue-on-behalf', issueBody());
  return JSON.parse(body).coreClaimHash;
}
async function batchInput(rowKey: string) {
  const rows = [{ rowKey, email: 'row@example.org', credentialSubject: { level: 77, since: 'never' } }];
  return { issuerDid: world.issuerDid, credentialId: 'member', rows };
}
let jobId: string;
async function chainJob(state: 'queued' | 'failed'): Promise<string> {
  const _id = id();
  const row = { _id, kind: 'allow', args: {}, state, createdAt: new Date(), tries: 0, attempts: [], story: [] };
  await chainModels(world.gateway.app.connection).jobs.collection.insertOne(row as never);
  return _id;
}
async function holderWithAccount(email: string): Promise<void> {
  await logIn(chained.gateway, { ...chained, rest: chained.partner }, email);
  const holder = await chained.gateway.app.services.holders.byEmail(email);
  const abstractAccountAddress = `0x${id().replaceAll('-', '').padEnd(40, '0')}`;
  await holderModels(chained.gateway.app.connection).holders.updateOne(
    { _id: holder?._id },
    { $set: { abstractAccountAddress } },
  );
}
const recorded = async () => ({
  holderId: (await world.gateway.app.services.holders.byEmail(EMAIL))?._id,
  coreId: { id: '1', name: 'ada.id', node: '0x1', status: 'MINTED', chainId: 1 },
});
const otherId = id();

export const DOORS: Door[] = [
  ['PUT /v1/admin/partners/:id', 'partner.put', () => asOperator('PUT', path('partners', otherId), partnerBody())],
  ['DELETE /v1/admin/partners/:id', 'partner.retire', () => asOperator('DELETE', path('partners', otherId))],
  [
    'putPartner',
    'partner.put',
    () => byOperator('putPartner', { partnerId: otherId, ...partnerBody(), scopes: ['ISSUE'] }),
  ],
  ['retirePartner', 'partner.retire', () => byOperator('retirePartner', { partnerId: otherId })],
  ...catalogDoors('issuer'),
  ...certificateDoors('issuer', 'club'),
  ...certificateDoors('verifier', 'agency'),
  ...catalogDoors('verifier'),
  ...catalogDoors('schema'),
  ...catalogDoors('credential'),
  ...catalogDoors('program'),
  [
    'POST /v1/admin/import',
    'verifier.put',
    () =>
      asOperator('POST', '/v1/admin/import', JSON.stringify({ kind: 'verifiers', id: 'lined', ...verifier('lined') })),
  ],
  [
    'POST /v1/admin/revoke',
    'issuance.revoke',
    async () => asOperator('POST', '/v1/admin/revoke', { coreClaimHash: await issued() }),
  ],
  ['recordCoreId', 'core-id.record', async () => byOperator('recordCoreId', await recorded())],
  ['retryChainJob', 'chain-job.retry', async () => byOperator('retryChainJob', { jobId: await chainJob('failed') })],
  [
    'giveUpChainJob',
    'chain-job.give-up',
    async () => byOperator('giveUpChainJob', { jobId: await chainJob('queued') }),
  ],
  ['initializeUser', 'holder.create', () => byPartner('initializeUser', { email: 'one@example.org' })],
  [
    'POST /v1/auth/initialize-user',
    'holder.name',
    () => asPartner('POST', '/v1/auth/initialize-user', { email: 'one@example.org', partnerUserId: 'u-1' }),
  ],
  [
    'POST /v2/auth/initialize-user',
    'holder.create',
    async () => {
      const partnerJwt = await world.token({ email: 'two@example.org' });
      return call(world, 'POST', '/v2/auth/initialize-user', { 'x-partner-id': world.partnerId }, { partnerJwt });
    },
  ],
  [
    'POST /v1/credentials/issue-on-behalf',
    'issuance.issue',
    () => asPartner('POST', '/v1/credentials/issue-on-behalf', issueBody()),
  ],
  ['issueOnBehalf', 'issuance.issue', () => byPartner('issueOnBehalf', issueBody())],
  ...offerDoors({ asPartner, byPartner }, issueBody),
  [
    'POST /v1/credentials/revoke',
    'issuance.revoke',
    async () => asPartner('POST', '/v1/credentials/revoke', { coreClaimHash: await issued() }),
  ],
  ['revokeCredential', 'issuance.revoke', async () => byPartner('revokeCredential', { coreClaimHash: await issued() })],
  [
    'issueOnBehalfBatch',
    'batch.create',
    async () => {
      const answer = await byPartner('issueOnBehalfBatch', await batchInput('first'));
      jobId = JSON.parse(answer.body).data.issueOnBehalfBatch.job.jobId;
      return answer;
    },
  ],
  ['retryBatch', 'batch.retry', () => byPartner('retryBatch', { jobId })],
  ['cancelBatch', 'batch.cancel', () => byPartner('cancelBatch', { jobId })],
  ['POST /v1/dstorage/vcs', 'package.store', async () => asPartner('POST', '/v1/dstorage/vcs', await aPackage())],
  [
    'storeCredential',
    'package.store',
    async () => byPartner('storeCredential', { ...(await aPackage()), proofType: 'SD_JWT_VC' }),
  ],
  [
    'DELETE /v1/dstorage/vcs/:id',
    'package.delete',
    async () => {
      const { body } = await asPartner('POST', '/v1/dstorage/vcs', await aPackage());
      const { storagePath } = JSON.parse(body);
      return asPartner('DELETE', `/v1/dstorage/vcs/${storagePath.split('/').at(-1)}`);
    },
  ],
  [
    'POST /v1/verifications',
    'verification.start',
    () => asPartner('POST', '/v1/verifications', { programId: 'levels' }, 'verify'),
  ],
  ...walletDoors({ asPartner, byPartner }),
  ['startVerification', 'verification.start', () => byPartner('startVerification', { programId: 'levels' }, 'verify')],
  [
    'POST /v1/core-ids/claim',
    'core-id.claim',
    async () => {
      await holderWithAccount('three@example.org');
      return asPartner('POST', '/v1/core-ids/claim', {}, 'issue', chained, { email: 'three@example.org' });
    },
  ],
  [
    'claimCoreId',
    'core-id.claim',
    async () => {
      await holderWithAccount('four@example.org');
      return byPartner('claimCoreId', {}, 'issue', chained, { email: 'four@example.org' });
    },
  ],
  ['createOperatorKey', 'operator-key.create', () => byOperator('createOperatorKey', { name: 'a-key', role: 'READ' })],
  ['rotateOperatorKey', 'operator-key.rotate', () => byOperator('rotateOperatorKey', { name: 'a-key' })],
  ['withdrawOperatorKey', 'operator-key.withdraw', () => byOperator('withdrawOperatorKey', { name: 'a-key' })],
  ...webhookDoors({ asPartner, byPartner, asOperator, byOperator }),
  ...revocationDoors({ asPartner, byPartner }, async () => void (await issued())),
];

async function aPackage() {
  const { body } = await asPartner('POST', '/v1/auth/initialize-user', { email: EMAIL });
  const { did: holderDid, publicKey } = JSON.parse(body);
  const facts = { holderDid, schemaId: SCHEMA_ID, expiresAt: null, externalId: id() };
  return { ...facts, ...encrypt('plaintext of the package', publicKey) };
}
