// What each kind of session may do: a table of all operations of holders, by REST and GraphQL. A session that a link opened registers nothing until
// its holder proves a second factor or logs in by code, and neither do the sessions that come of it.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { keyPair } from '../partners/support.js';
import { Authenticator } from '../support/authenticator.js';
import { documentOf } from '../support/document-of.js';
import { BACKUP, DOORS, FIRST, handOver, PASSKEYS, PROOF, putCakCatalog } from './doors.js';
import { startWorld, type World } from './support.js';

/** Characters before the cells in those tables. */
const NAMES = 50;
const HAND_OVER = 'POST /v1/holders/me/key';
/** Every session may call these. What is neither here nor a door is refused by the first test: a new operation needs a row. */
const ANY = [
  ...['GET /v1/holders/me', 'POST /v1/auth/logout', 'POST /v1/auth/token', 'POST /v1/auth/rehydrate'],
  ...['POST /v1/auth/partner-link'],
  ...['GET /v1/holders/me/key-backup', 'POST /v1/holders/me/mfa/options', 'POST /v1/holders/me/mfa'],
  ...['GET /v1/holders/me/passkeys', 'POST /v1/holders/me/account/challenge', 'GET /v1/holders/me/account'],
  ...['POST /v1/holders/me/account/deploy', 'POST /v1/chain/rpc'],
  ...['GET /v1/chain/transactions/:txHash', 'GET /v1/chain/jobs/:jobId'],
  ...['GET /v1/holders/me/credentials', 'GET /v1/holders/me/credentials/:id', 'GET /v1/holders/me/cak'],
  ...['GET /v1/credentials/available', 'POST /v1/credentials/issue', 'GET /v1/credentials/:credentialId/terms'],
  ...['GET /v1/verifications/:id', 'GET /v1/verifications/:id/request', 'POST /v1/verifications/:id/answer'],
  ...['GET /v1/programs/:id/plan', 'GET /v1/events'],
  ...['me', 'logout', 'updateSessionConfig', 'keyBackup', 'mfaOptions', 'proveMfa', 'passkeys', 'walletChallenge'],
  ...['smartAccount', 'isSmartAccountDeployed', 'deploySmartAccount', 'chainJob', 'chainTransaction'],
  ...['ownCakKey', 'credentialTerms', 'availableCredentials', 'verification', 'verificationRequest'],
  ...['verificationPlan', 'answerVerification', 'issuances'],
];
/** For these a mailed code is enough; sessions of links need a proof. */
const DECISIONS = ['PUT /v1/holders/me/partners/:partnerId', 'POST /v1/holders/me/core-id', 'claimCoreId'];
type Door = keyof typeof DOORS;
const doors = Object.keys(DOORS) as Door[];
/** Needs a passkey, of which a holder without a second factor has none. */
const isRemoval = (door: string): boolean => ['DELETE /v1/holders/me/passkeys/:id', 'removePasskey'].includes(door);

const SHOP = 'https://shop.example';
const shop = randomUUID();
let world: World;
let origin: string;
let schema: GraphQLSchema;
beforeAll(async () => {
  world = await startWorld({ REQUEST_POINTS: '1000000' });
  // The store deletes links by its own clock, however slow the machine is.
  world.clock.now += 12 * 3_600_000;
  schema = buildGatewaySchema();
  await putCakCatalog(world);
  const put = (partnerId: string, allowedOrigins: string[], key = keyPair('p256', 'k')) => {
    const body = { name: 'Shop', scopes: ['issue'], jwks: { keys: [key.jwk] }, allowedOrigins };
    return world.gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body });
  };
  await put(shop, [SHOP]);
  await put(world.partnerId, ['https://own.example'], world.key);
  const { body } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${shop}`);
  origin = new URL(body.publicUrl).origin;
});
afterAll(() => world.close());

/** The session that a link from another one opens, at the other of the two partners. */
async function linked(session: string, [url, partnerId]: readonly [string, string] = [SHOP, shop]): Promise<string> {
  const { code } = (await world.asHolder('POST', '/v1/auth/partner-link', session, { url: `${url}/` })).body;
  const { body } = await world.gateway.rest('POST', '/v1/auth/partner-link/redeem', { body: { code, partnerId } });
  return body.token;
}
const back = (): [string, string] => ['https://own.example', world.partnerId];
const paged = async (session: string): Promise<string> =>
  (await world.asHolder('POST', '/v1/auth/token', session)).body.token;

async function byAccount(session: string): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey());
  const challenge = (
    await world.asHolder('POST', '/v1/holders/me/account/challenge', session, { address: account.address })
  ).body;
  const signature = await account.signMessage({ message: challenge.message });
  const sent = { challengeId: challenge.challengeId, signature };
  expect((await world.asHolder('PUT', '/v1/holders/me/account', session, sent)).status).toBe(200);
  const begun = await world.asPartner('/v1/auth/login', { address: account.address });
  const proof = { loginId: begun.body.loginId, signature: await account.signMessage({ message: begun.body.message }) };
  return (await world.gateway.rest('POST', '/v1/auth/verify', { body: proof })).body.token;
}

const fresh = (): Promise<string> => world.login(`${randomUUID()}@example.com`);

/** The routes and fields that holders may call and strangers may not, by the tables of rights.test.ts, which have all there are. */
function ofHolders(table: string): string[] {
  const [head = '', ...lines] = readFileSync(`test/contract/rights-${table}.txt`, 'utf8').trimEnd().split('\n');
  const [stranger, holder] = ['nobody', 'holder'].map((name) => head.trim().split(/\s+/).indexOf(name));
  const rows = lines.map((line) => ({
    row: line.slice(0, NAMES).trim(),
    cells: line.slice(NAMES).trim().split(/\s+/),
  }));
  return rows
    .filter(({ cells }) => cells[stranger ?? 0] === '401' && cells[holder ?? 0] !== '403')
    .map(({ row }) => row);
}

it('every operation of holders has its row in the table of sessions', () => {
  const served = ['rest', 'query', 'mutation'].flatMap(ofHolders);
  expect(served.sort()).toEqual([...ANY, ...doors, ...DECISIONS, HAND_OVER].sort());
});

describe('A session that a link opened', () => {
  it.each(doors)(
    'may not call %s without a second factor, nor may one that comes of it; a login by code may',
    async (door) => {
      const session = await fresh();
      const link = await linked(session);
      const call = { ...DOORS, ...FIRST }[door];
      const refused = isRemoval(door) ? 404 : 'MFA_REQUIRED';
      for (const each of [link, await linked(link, back())]) {
        const answer = await call({ world, session: each, origin });
        expect(answer.code).toBe(refused);
        if (!isRemoval(door)) expect(answer.message).toContain('login by a mailed code');
      }
      for (const page of [await paged(session), await paged(link)])
        expect((await call({ world, session: page, origin })).code).toBe(403);
      expect((await call({ world, session: await byAccount(session), origin })).code).toBe(isRemoval(door) ? 404 : 200);
    },
  );

  it.each(doors)('may call %s once it has proved a second factor, and one that comes of it may not', async (door) => {
    const first = await fresh();
    const ids: string[] = [];
    for (const _passkey of ['one', 'another']) {
      const options = await world.asHolder('POST', `${PASSKEYS}/options`, first);
      const authenticator = new Authenticator();
      const response = authenticator.create(options.body, { origin });
      expect((await world.asHolder('POST', PASSKEYS, first, { response })).status).toBe(201);
      ids.push(...authenticator.ids);
    }
    const headers = { authorization: `Bearer ${first}`, 'if-none-match': '*' };
    expect((await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: BACKUP, headers })).status).toBe(200);
    const link = await linked(first);
    const call = (session: string) =>
      DOORS[door]({ world, session, origin, ...(ids[0] === undefined ? {} : { passkeyId: ids[0] }) });
    expect((await call(link)).code).toBe('MFA_REQUIRED');
    const proved = await world.asHolder('POST', '/v1/holders/me/mfa', link, { recoveryProof: PROOF });
    expect(proved.status).toBe(204);
    expect((await call(await linked(link, back()))).code).toBe('MFA_REQUIRED');
    expect((await call(link)).code).toBe(200);
  });

  it('does not get a key that the gateway still has, and a mailed code alone does', async () => {
    const email = 'custody@example.com';
    await world.initialize(email);
    const session = await world.login(email);
    const link = await linked(session);
    for (const each of [link, await linked(link, back())])
      expect((await handOver({ world, session: each, origin })).code).toBe('MFA_REQUIRED');
    for (const page of [await paged(session), await paged(link)])
      expect((await handOver({ world, session: page, origin })).code).toBe(403);
    expect((await handOver({ world, session, origin })).code).toBe(200);
  });

  it.each(DECISIONS)('may not call %s before a proof, and a login by code may', async (row) => {
    const session = await fresh();
    const headers = { authorization: `Bearer ${session}`, 'if-none-match': '*' };
    expect((await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: BACKUP, headers })).status).toBe(200);
    const link = await linked(session);
    const body = row.startsWith('PUT') ? { consent: 'declined' } : {};
    expect(await statusOf(row, link, body)).toBe('MFA_REQUIRED');
    expect(await statusOf(row, await linked(link, back()), body)).toBe('MFA_REQUIRED');
    expect(await statusOf(row, await world.login(`${randomUUID()}@example.com`), body)).not.toBe('MFA_REQUIRED');
    expect((await world.asHolder('POST', '/v1/holders/me/mfa', link, { recoveryProof: PROOF })).status).toBe(204);
    expect(await statusOf(row, link, body)).not.toBe('MFA_REQUIRED');
  });

  it('is answered as any other at the rest of the table', async () => {
    const differing: unknown[] = [];
    const rows = ANY.filter((row) => !['logout', 'POST /v1/auth/logout'].includes(row));
    const session = await world.login('same@example.com');
    const link = await linked(session);
    for (const row of rows) {
      const [own, ofLink] = [await statusOf(row, session), await statusOf(row, link)];
      if (own !== ofLink || ofLink === 'MFA_REQUIRED') differing.push([row, own, ofLink]);
    }
    expect(differing).toEqual([]);
  });

  async function statusOf(row: string, session: string, sent: object = {}): Promise<unknown> {
    const headers = { authorization: `Bearer ${session}` };
    const [method = '', path] = row.split(' ');
    if (path !== undefined) {
      const body = method === 'GET' ? undefined : sent;
      const answer = await world.gateway.rest(method, path.replace(/:\w+/g, randomUUID()), { headers, body });
      const challenge = answer.headers.get('www-authenticate') ?? '';
      return challenge.includes('insufficient_user') ? 'MFA_REQUIRED' : answer.status;
    }
    const isQuery = schema.getQueryType()?.getFields()[row] !== undefined;
    const { query, variables } = documentOf(schema, isQuery ? 'query' : 'mutation', row);
    const { errors } = await world.gateway.gql(query, variables, headers);
    return errors?.[0]?.extensions.code ?? 'ok';
  }
});
