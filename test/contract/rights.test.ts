// Who may do what: every kind of caller calls every REST route and every root field of GraphQL. The table of the
// results is committed; a new route or field has to be added to it (vitest -u) and reviewed.
import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restRoutes } from '../../src/compose/routes.js';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { RawSocket, SocketClosed } from '../graphql/subscriptions/raw-socket.js';
import { documentOf } from '../support/document-of.js';
import { SCHEMA } from '../support/membership.js';
import { NO_PROOF } from '../support/no-proof.js';
import { printTotal } from '../support/total.js';
import { CALLERS, type CallerName, startWorld, type World } from './rights-world.js';

let world: World;
let schema: GraphQLSchema;
beforeAll(async () => {
  world = await startWorld();
  schema = buildGatewaySchema({ catalogEnabled: true });
});
afterAll(() => world.gateway.close());

const WIDTH = 50;
/**
 * Header of the table. Cells are `ok` or the HTTP status of the refusal; `ok/403` when the field was allowed and
 * something inside of it was refused.
 */
const HEAD = `${''.padEnd(WIDTH)}${CALLERS.map((name) => name.padEnd(9)).join('')}`.trimEnd();

async function tableOf(
  rows: readonly string[],
  ask: (row: string, caller: CallerName) => Promise<string>,
): Promise<string> {
  const lines = [HEAD];
  for (const row of rows) {
    const cells: string[] = [];
    for (const caller of CALLERS) cells.push(await ask(row, caller));
    lines.push(`${row.padEnd(WIDTH - 1)} ${cells.map((cell) => cell.padEnd(9)).join('')}`.trimEnd());
  }
  return `${lines.join('\n')}\n`;
}

/** Printed after the comparison, in which cells that differ fail the test. */
const printCells = (task: Parameters<typeof printTotal>[0], what: string, rows: number): void =>
  printTotal(
    task,
    `authorisation: ${rows} ${what} × ${CALLERS.length} callers, ${rows * CALLERS.length} answers as the table says`,
  );

/** The value of a path's parameter. Ids of the catalog's kinds name no entry, so that no entry is retired. */
function paramOf(name: string, path: string): string {
  const { partnerId, holderDid, storedIds, statusListId } = world;
  const isAdmin = path.startsWith('/v1/admin/');
  // In the table, the row that deletes comes before the row that reads.
  const id = path.startsWith('/v1/dstorage')
    ? storedIds[0]
    : path.startsWith('/v1/holders')
      ? storedIds[1]
      : statusListId;
  const isIssuer = path.startsWith('/v1/issuers/');
  if (path.startsWith('/v1/verifications/')) return world.verificationIds[0];
  if (path.startsWith('/v1/programs/')) return 'levels';
  if (path.startsWith('/v1/webhooks/deliveries/')) return world.deliveryId;
  // Among the rows of webhooks, the one that deletes comes last.
  if (path.startsWith('/v1/webhooks/')) return world.webhookIds[2];
  const values: Record<string, string> = {
    partnerId,
    did: holderDid,
    nonce: '1',
    schemaId: 'x',
    credentialId: 'member',
    txHash: 'x',
    jobId: path.startsWith('/v1/revocations') ? world.revocationId : 'x',
    version: '1',
    id: isIssuer ? 'club' : id,
    userId: '00000000-0000-4000-8000-000000000000',
  };
  const value = isAdmin ? 'none' : values[name];
  if (value === undefined) throw new Error(`the table has no value for ${name} in ${path}`);
  return encodeURIComponent(value);
}

/** Query strings and bodies of requests that must be valid: otherwise the owner would be refused like everybody else. */
const QUERIES: Readonly<Record<string, () => string>> = {
  '/v1/credentials/status': () => `?coreClaimHash=${world.hashes[0]}`,
  '/v1/catalog/search': () => '?q=member',
  '/v1/sandbox/mailbox': () => '?email=holder@example.org',
  '/v1/events': () => '?limit=1',
  '/v1/holders/:userId/cak': () => '?issuerId=club&schemaId=x',
  '/v1/holders/me/cak': () => '?issuerId=club&schemaId=x',
};
const BODIES: Readonly<Record<string, () => object>> = {
  '/v1/credentials/revoke': () => ({ coreClaimHash: world.hashes[0] }),
  '/v1/programs/:id/plan': () => ({ holding: [] }),
  '/v1/conditions/convert': () => ({ from: 'text', to: 'iden3', value: ['level >= 1'] }),
  '/v1/conditions/compare': () => ({ a: ['level >= 1'], b: [], schemaId: SCHEMA.$id }),
  '/v1/verifications': () => ({ programId: 'levels' }),
  '/v1/webhooks': () => WEBHOOK,
  '/v1/why': () => ({ operation: 'webhooks', partnerId: world.partnerId }),
  '/v1/revocations/previews': () => ({ credentialId: 'member' }),
  '/v1/revocations': () => ({ token: world.revocationToken }),
  '/v1/verifications/:id/answer': () => ({ cannot: true }),
  '/v1/verifications/check': () => ({ zkProof: NO_PROOF }),
};
const WEBHOOK = { url: 'https://example.org/hook', types: ['revoked'], allowDuplicate: true };
/** The operations that end the session of their caller. */
const ENDING = ['POST /v1/auth/logout', 'logout'];

const headersOf = async (row: string, caller: CallerName) =>
  ENDING.includes(row) ? world.freshSession(caller) : world.headers[caller];

async function askRest(row: string, caller: CallerName): Promise<string> {
  const [method = '', path = ''] = row.split(' ');
  const url = path.replace(/:(\w+)/g, (_all, name: string) => paramOf(name, path)) + (QUERIES[path]?.() ?? '');
  const headers = { ...(await headersOf(row, caller)) };
  if (path === '/v1/admin/import') headers['content-type'] = 'application/x-ndjson';
  const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[path]?.() ?? {});
  const { status } = await world.gateway.rest(method, url, { headers, body });
  return status < 300 ? 'ok' : String(status);
}

it('REST: every route has its row', async ({ task }) => {
  // Only the descriptions of the routes are read; no request is sent.
  const routes = restRoutes(world.gateway.app.services, undefined as never, {
    health: { ping: async () => {}, isStopping: () => false, problems: () => [] },
    metricsText: async () => '',
  });
  const rows = routes.map(({ method, path }) => `${method} ${path}`);
  await expect(await tableOf(rows, askRest)).toMatchFileSnapshot('rights-rest.txt');
  printCells(task, 'REST routes', rows.length);
});

/** For each security scheme, the callers that use it with valid credentials. */
const KINDS: Readonly<Record<string, readonly CallerName[]>> = {
  nobody: ['nobody'],
  partnerToken: ['other', 'verify', 'issue'],
  holderSession: ['stranger', 'holder'],
  pageToken: ['page'],
  operatorKey: ['read', 'catalog', 'operator'],
};

it('REST: openapi.json says who may call each route', () => {
  const [, ...lines] = readFileSync('test/contract/rights-rest.txt', 'utf8').trim().split('\n');
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
  const told: string[] = [];
  const seen: string[] = [];
  for (const line of lines) {
    const [method = '', path = '', ...cells] = line.split(/\s+/);
    const isRefused = (name: CallerName) => /^40[13]$/.test(cells[CALLERS.indexOf(name)] ?? '');
    const kinds = Object.keys(KINDS).filter((kind) => !KINDS[kind]?.every(isRefused));
    // Where anyone may call, the route refuses a bad token only if it reads tokens.
    const open = isRefused('expired') ? ['nobody', 'partnerToken'] : ['nobody'];
    seen.push(`${method} ${path}: ${kinds.includes('nobody') ? open : kinds}`);
    const { security } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
    const named = (security as object[]).map((scheme) => Object.keys(scheme)[0] ?? 'nobody');
    // A login may be called with a session, and a bad session is ignored.
    const schemes = named.includes('nobody') ? named.filter((name) => name !== 'holderSession') : named;
    told.push(`${method} ${path}: ${security.length === 0 ? 'nobody' : schemes}`);
  }
  expect(told).toEqual(seen);
  expect(paths['/v1/auth/login'].post.security).toEqual([{}, { partnerToken: [] }, { holderSession: [] }]);
});

const ARGUMENTS: Readonly<Record<string, () => Record<string, unknown>>> = {
  batch: () => ({ jobId: world.jobId }),
  batchProgress: () => ({ jobId: world.jobId }),
  retryBatch: () => ({ input: { jobId: world.jobId } }),
  cancelBatch: () => ({ input: { jobId: world.jobId } }),
  revokeCredential: () => ({ input: { coreClaimHash: world.hashes[1] } }),
  convertConditions: () => ({ input: { from: 'TEXT', to: 'IDEN3', value: ['level >= 1'] } }),
  compareConditions: () => ({ input: { a: ['level >= 1'], b: [], schemaId: SCHEMA.$id } }),
  revocationJob: () => ({ jobId: world.revocationId }),
  revocationProgress: () => ({ jobId: world.revocationId }),
  why: () => ({ operation: 'WEBHOOKS', partnerId: world.partnerId }),
  previewRevocation: () => ({ input: { credentialId: 'member' } }),
  confirmRevocation: () => ({ input: { token: world.revocationToken } }),
  credentialStatus: () => ({ coreClaimHash: world.hashes[0] }),
  credentialStatusChanged: () => ({ coreClaimHash: world.hashes[0] }),
  credential: () => ({ credentialId: 'member' }),
  credentialTerms: () => ({ credentialId: 'member' }),
  search: () => ({ query: 'member' }),
  tractionChanged: () => ({ credentialId: 'member' }),
  issuer: () => ({ issuerId: 'club' }),
  verification: () => ({ verificationId: world.verificationIds[1] }),
  verificationRequest: () => ({ verificationId: world.verificationIds[1] }),
  proofRequest: () => ({ programId: 'levels' }),
  startVerification: () => ({ input: { programId: 'levels' } }),
  answerVerification: () => ({ input: { verificationId: world.verificationIds[1], cannot: true } }),
  answerFromWallet: () => ({ input: { verificationId: world.verificationIds[1] } }),
  checkProof: () => ({ input: { zkProof: NO_PROOF } }),
  registerWebhook: () => ({ input: WEBHOOK }),
  deleteWebhook: () => ({ input: { webhookId: world.webhookIds[1] } }),
  rotateWebhookSecret: () => ({ input: { webhookId: world.webhookIds[0] } }),
  testWebhook: () => ({ input: { webhookId: world.webhookIds[0] } }),
  redeliverWebhook: () => ({ input: { deliveryId: world.deliveryId } }),
  webhook: () => ({ webhookId: world.webhookIds[0] }),
  webhookDeliveries: () => ({ webhookId: world.webhookIds[0] }),
  partner: () => ({ partnerId: world.partnerId }),
  node: () => ({ id: Buffer.from('Credential:member').toString('base64') }),
};

interface Errors {
  errors?: { path?: readonly unknown[]; extensions: Record<string, unknown> }[];
}

/** The refusal of the field itself; otherwise `ok`, and the first refusal inside of it. */
function cellOf({ errors = [] }: Errors): string {
  const statuses = errors.map(({ extensions }) => String(extensions.httpStatus));
  const own = errors.findIndex(({ path }) => path === undefined || path.length === 1);
  return own === -1 ? ['ok', ...statuses].slice(0, 2).join('/') : (statuses[own] ?? '');
}

const fieldsOf = (type: { getFields(): object } | null | undefined) => Object.keys(type?.getFields() ?? {}).sort();

it.for(['query', 'mutation'] as const)('GraphQL: every %s has its row', async (operation, { task }) => {
  const fields = fieldsOf(operation === 'query' ? schema.getQueryType() : schema.getMutationType());
  const table = await tableOf(fields, async (field, caller) => {
    const { query, variables } = documentOf(schema, operation, field, ARGUMENTS[field]?.());
    return cellOf(await world.gateway.gql(query, variables, await headersOf(field, caller)));
  });
  await expect(table).toMatchFileSnapshot(`rights-${operation}.txt`);
  printCells(task, operation === 'query' ? 'queries' : 'mutations', fields.length);
});

it('GraphQL: every subscription has its row', async ({ task }) => {
  const { gateway, headers } = world;
  const groups = () => gateway.app.subscriptions.counters.groups;
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate);
  };
  const fields = fieldsOf(schema.getSubscriptionType());
  const table = await tableOf(fields, async (field, caller) => {
    const opened = await RawSocket.open(gateway, { headers: headers[caller], init: {} }).catch((error) => error);
    if (opened instanceof SocketClosed) return String(opened.code);
    const socket: RawSocket = opened;
    const { query, variables } = documentOf(schema, 'subscription', field, ARGUMENTS[field]?.());
    socket.subscribe('1', query, variables);
    const refusal = () =>
      socket.messages.find(({ type, id, payload }) => id === '1' && (type === 'error' || payload?.errors));
    await until(() => refusal() !== undefined || groups() > 0);
    const refused = refusal();
    socket.close();
    await until(() => groups() === 0);
    return refused ? cellOf({ errors: refused.type === 'error' ? refused.payload : refused.payload.errors }) : 'ok';
  });
  await expect(table).toMatchFileSnapshot('rights-subscription.txt');
  printCells(task, 'subscriptions', fields.length);
});
