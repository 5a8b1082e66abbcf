// A request with several credentials is decided by the one that its route is for (contract §1, the table "who").
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';

let gateway: TestGateway;
let partner: TestPartner;
let all: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await registerPartner(gateway);
  all = {
    'x-admin-api-key': gateway.operatorKey,
    'x-partner-auth': await partner.token(),
    authorization: `Bearer ${await logIn(gateway, partner, 'all@example.org')}`,
  };
});
afterAll(() => gateway.close());

const ROUTES = [
  ['an operator', '/v1/admin/partners?limit=1', 'x-admin-api-key', 200],
  ['a partner', `/v1/dstorage/vcs/${randomUUID()}`, 'x-partner-auth', 404],
  ['a holder', '/v1/holders/me', 'authorization', 200],
] as const;

it.each(ROUTES)('a request of %s that also has other credentials is served', async (_who, path, _header, status) => {
  expect((await gateway.rest('GET', path, { headers: all })).status).toBe(status);
});

it.each(ROUTES)(
  'a request of %s whose own credential is invalid is refused, whatever else it has',
  async (_who, path, header) => {
    const headers = { ...all, [header]: `${header === 'authorization' ? 'Bearer ' : ''}not.valid.atall` };
    expect((await gateway.rest('GET', path, { headers })).status).toBe(403);
  },
);

it.each(ROUTES)(
  'a route for %s responds 403 to all other callers, and 401 without credentials',
  async (_who, path, header) => {
    const { [header]: _own, ...others } = all;
    expect((await gateway.rest('GET', path, { headers: others })).status).toBe(403);
    expect((await gateway.rest('GET', path)).status).toBe(401);
  },
);

it('a caller of JSON-RPC that also has an operator key is served', async () => {
  const call = { body: { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }, headers: all };
  expect((await gateway.rest('POST', '/v1/chain/rpc', call)).status).toBe(200);
  expect((await gateway.admin('POST', '/v1/chain/rpc', { body: call.body })).body.message).toBe(
    'This route is only for partners or holders.',
  );
});
