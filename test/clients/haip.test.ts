// Wallets of others at an issuer of the profile haip: credo and the wallet from the specifications, each with both attestations, and without.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { authority, type Certified, certify, derOf, pemOf } from '../openid4vp/authority.js';
import { scratchFolder } from '../support/process.js';
import { Issuance } from '../wallets/issuance.js';
import { SUBJECT, startWorld, type World } from '../wallets/world.js';
import { CredoWallet } from './credo.js';
import { offeredTo } from './offered.js';

const PROVIDER = 'https://provider.example';
let world: World;
let provider: Certified;
let people = 0;
beforeAll(async () => {
  world = await startWorld();
  const root = await authority('Wallets');
  provider = await certify('Provider', root);
  const wallets = { profile: 'haip', walletProviders: [pemOf(root)], keyProviders: [pemOf(root)] };
  const body = { name: 'Club', issuerFrom: 'test', managed: true, wallets };
  const answer = await world.gateway.admin('PUT', '/v1/admin/issuers/club', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
});
afterAll(() => world?.gateway.close());

const offered = () => offeredTo(world, `person${++people}@example.org`);

it('the wallet from the specifications, attested', async () => {
  const { offerUri, agree } = await offered();
  const { privateKey } = provider.keys;
  const attesting = { privateKey: privateKey as never, x5c: [derOf(provider)], issuer: PROVIDER };
  const issuance = await Issuance.open(offerUri, { roots: world.roots, provider: attesting });
  expect(issuance.offer.preAuthorizedCode).toBeUndefined();
  const back = await agree(await issuance.authorization.authorize());
  await issuance.authorization.redirected(back.href);
  expect(await issuance.credentials()).toHaveLength(10);
  await issuance.authorization.refresh();
  expect(await issuance.credentials(3)).toHaveLength(3);
});

it('credo, attested, and attested by nobody', async () => {
  const file = join(scratchFolder(), 'provider.json');
  const key = await exportJWK(provider.keys.privateKey as never);
  writeFileSync(file, JSON.stringify({ key, x5c: [derOf(provider)], issuer: PROVIDER }));
  const root = `${world.url}/v1/sandbox/root.pem`;
  const [wallet, stranger] = [new CredoWallet([root], { PROVIDER: file }), new CredoWallet([root])];
  onTestFinished(() => {
    wallet.close();
    stranger.close();
  });
  const { offerUri, agree } = await offered();
  expect((await stranger.run(offerUri)).error).toContain('invalid_client');
  const { open, error } = await wallet.run(offerUri);
  expect(error).toBeUndefined();
  const received = [{ copies: 10, claims: SUBJECT }];
  expect(await wallet.run((await agree(open)).href)).toMatchObject({ received, refreshable: true });
  expect(await wallet.run('refresh')).toMatchObject({ received });
});
