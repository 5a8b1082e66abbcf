// Credentials in the client library: issued after a click, decrypted in the frame, and proven to programs, for every possible result of a proof.

import { randomUUID } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { type DeployedIssuer, startDeployedIssuer } from '../support/deployed-issuer.js';
import { SCHEMA } from '../support/membership.js';
import { registerMembership } from './membership-catalog.js';
import {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  approving,
  ask,
  checkBox,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
} from './world.js';

/** Less than tokens of partners last. */
const LATER_MS = 120_000;
const SUBJECT = { level: 3, since: '2024-02-29', note: 'gold' };

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('Credentials', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let hosted: DeployedIssuer;
  let issuerDid: string;
  /** How far the gateway's clock is ahead, milliseconds. */
  let ahead = 0;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env, clock: () => Date.now() + ahead });
    hosted = await startDeployedIssuer(world.gateway);
    issuerDid = await registerMembership(world, hosted);
  });
  afterAll(async () => {
    await hosted?.close();
    await world?.close();
    await chain?.close();
  });

  interface User {
    page: Page;
    email: string;
  }
  /** A user with keys, in a profile of their own. */
  async function userOf(script?: string): Promise<User> {
    const browsing = await world.browse();
    if (script !== undefined) await browsing.context.addInitScript(script);
    const email = `${randomUUID()}@example.org`;
    const page = await openLoggedIn(world, browsing, email);
    await ask(page, 'eth_requestAccounts');
    await keepRecoveryCode(page);
    await page.evaluate('asked');
    return { page, email };
  }
  const begin = async (page: Page, operation: string, options: object, scope: string): Promise<void> => {
    const authToken = await world.partner.token({}, scope);
    await page.evaluate(
      `void (window.result = tried(core.${operation}(${JSON.stringify({ authToken, ...options })})))`,
    );
  };
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  const result = (page: Page): Promise<any> => page.evaluate('result');
  const issue = async (page: Page, options: object = {}) => {
    const whole = { issuerDid, credentialId: 'member', credentialSubject: SUBJECT, ...options };
    await begin(page, 'issueCredential', whole, 'issue on-behalf');
  };
  const verify = (page: Page, programId = 'three', more: object = {}) =>
    begin(page, 'verifyCredential', { programId, ...more }, 'verify');
  const asVerifier = async (path: string) =>
    (await world.gateway.rest('GET', path, { headers: { 'x-partner-auth': await world.partner.token({}, 'verify') } }))
      .body;
  /** The newest verification as the partner reads it. */
  const newest = async () => (await asVerifier('/v1/verifications?limit=1')).items[0];
  const claims = () => world.gateway.app.connection.collection('issuances');
  const issueAside = async ({ email }: User, subject: object = SUBJECT, more: object = {}): Promise<string> => {
    const body = { issuerDid, credentialId: 'member', credentialSubject: subject, email, ...more };
    return (await world.partner.rest('POST', '/v1/credentials/issue-on-behalf', body)).body.coreClaimHash;
  };
  const statusOf = async (hash: string): Promise<string> =>
    (await world.gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body.vcStatus;

  it('credentials are issued after a click, anchored, and proven: Compliant', async () => {
    const user = await userOf();
    const { page } = user;
    await issue(page, { credentialSubject: { id: 'did:x:y', ...SUBJECT } });
    await (await approvalOf(page)).getByText('gold').waitFor();
    await approvable(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    await approve(page);
    expect(await result(page)).toEqual({ value: {} });
    await verify(page);
    for (const text of ['level: at least 3', 'gold']) await (await approvalOf(page)).getByText(text).first().waitFor();
    await approvable(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    expect(await newest()).toMatchObject({ state: 'open' });
    await approve(page);
    expect(await result(page)).toEqual({
      value: {
        status: 'Compliant',
        zkProofs: { member: expect.any(String) },
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    });
    expect((await claims().findOne({ credentialId: 'member' }))?.storedId).toBeDefined();
  });

  it('credentials that do not meet a program reveal nothing to the partner before a click: Non-Compliant', async () => {
    const user = await userOf();
    await issueAside(user, { ...SUBJECT, level: 2 });
    await verify(user.page, 'three', { redirectUrl: 'https://club.example/join' });
    await (await approvalOf(user.page)).getByText('Not met: level: at least 3').waitFor();
    const link = (await approvalOf(user.page)).getByRole('link');
    expect(await link.getAttribute('href')).toBe('https://club.example/join');
    await approvable(user.page);
    expect(await accessFaults(user.page, world.url)).toEqual([]);
    expect(await newest()).toMatchObject({ state: 'open', result: { status: 'Pending' } });
    await approve(user.page);
    expect(await result(user.page)).toEqual({ value: { status: 'Non-Compliant' } });
  });

  it('credentials that a user does not have are NotFound', async () => {
    const { page } = await userOf();
    await verify(page);
    await (await approvalOf(page)).getByText('You have no credential that it accepts.', { exact: true }).waitFor();
    await approve(page);
    expect(await result(page)).toEqual({ value: { status: 'NotFound' } });
  });

  it('credentials that have ended are Expired, Revoking, Revoked', async () => {
    const answered = async ({ page }: User): Promise<unknown> => {
      await verify(page);
      await approve(page);
      return (await result(page)).value;
    };
    const expired = await userOf();
    const hash = await issueAside(expired, SUBJECT, { expiresAt: new Date(Date.now() + LATER_MS).toISOString() });
    ahead = LATER_MS;
    await expect.poll(() => statusOf(hash)).toBe('EXPIRE');
    expect(await answered(expired)).toEqual({ status: 'Expired' });

    const revoked = await userOf();
    const anchored = await issueAside(revoked);
    await expect.poll(() => statusOf(anchored)).toBe('ONCHAIN');
    await chain.rpc('evm_setAutomine', false);
    await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash: anchored });
    expect(await answered(revoked)).toEqual({ status: 'Revoking' });
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    await expect.poll(() => statusOf(anchored)).toBe('REMOVE');
    expect(await answered(revoked)).toEqual({ status: 'Revoked' });
  });

  it('credentials that the chain has not confirmed are Pending, and a later call returns the result without a question', async () => {
    // Makes the frame's clock run sixty times as fast.
    const hurry = `{ const now = Date.now, start = now(); Date.now = () => start + (now() - start) * 60; }`;
    const user = await userOf(hurry);
    await chain.rpc('evm_setAutomine', false);
    await issueAside(user);
    await verify(user.page);
    await approve(user.page);
    expect(await result(user.page)).toEqual({ value: { status: 'Pending' } });
    await verify(user.page);
    expect(await result(user.page)).toEqual({ value: { status: 'Pending' } });
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    await expect.poll(newest).toMatchObject({ state: 'closed', result: { status: 'Compliant' } });
    const { verificationId } = await newest();
    await verify(user.page);
    expect((await result(user.page)).value).toMatchObject({
      status: 'Compliant',
      zkProofs: { member: expect.any(String) },
    });
    expect(await newest()).toMatchObject({ verificationId });
    await verify(user.page);
    await approvable(user.page);
    expect(await newest()).toMatchObject({ state: 'open' });
  });

  it('credentials are proven once and disclose their CAK, also if the response to the proof is lost', async () => {
    const { page } = await userOf();
    await issue(page, { credentialId: 'checked' });
    await approve(page);
    expect(await result(page)).toEqual({ value: { cakPublicKey: expect.any(String) } });
    await page.context().route('**/v1/verifications/*/answer', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await verify(page, 'checked');
    await checkBox(page);
    await approve(page);
    expect(await result(page)).toMatchObject({ name: 'OFFLINE' });
    await expect.poll(newest).toMatchObject({ state: 'closed', result: { status: 'Compliant' } });
    const { verificationId } = await newest();
    await page.context().unroute('**/v1/verifications/*/answer');
    await verify(page, 'checked');
    const { value } = await result(page);
    expect(value).toMatchObject({ status: 'Compliant', cakPrivateKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await newest()).toMatchObject({ verificationId });
  });

  it('credentials are not proven if the user declines', async () => {
    const user = await userOf();
    await issueAside(user);
    await verify(user.page);
    await (await approvalOf(user.page)).getByRole('button', { name: 'Cancel' }).click();
    expect(await result(user.page)).toMatchObject({ name: 'USER_CANCELLED' });
    await expect.poll(newest).toMatchObject({ result: { status: 'Non-Compliant' }, reason: 'declined' });
  });

  it.each([
    ['secp256r1', p256],
    ['secp256k1', secp256k1],
  ] as const)(
    'credentials with a CAK on %s have its public key, and their verifier gets the private one after consent',
    async (curve, algebra) => {
      const { page, email } = await userOf();
      await issue(page, { credentialId: 'checked', curve });
      await approve(page);
      const { cakPublicKey } = (await result(page)).value;
      const { userId } = (await world.partner.rest('POST', '/v1/auth/initialize-user', { email })).body;
      const query = new URLSearchParams({ issuerId: 'club', schemaId: SCHEMA.$id });
      const registered = await world.partner.rest('GET', `/v1/holders/${userId}/cak?${query}`);
      expect(registered.body).toMatchObject({ curve, publicKey: cakPublicKey });
      await verify(page, 'checked');
      await (await approvalOf(page)).getByRole('checkbox').waitFor();
      expect(await (await approving(page)).count()).toBe(0);
      await checkBox(page);
      await approve(page);
      const { value } = await result(page);
      expect(value).toMatchObject({ status: 'Compliant', cakPrivateKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const derived = algebra.getPublicKey(Buffer.from(value.cakPrivateKey, 'hex'), true);
      expect(Buffer.from(derived).toString('hex')).toBe(cakPublicKey);
      await page.context().close();
    },
  );

  it("credentials of an issuer's own endpoint are shown as the endpoint has them, and issued by it", async () => {
    const { page } = await userOf();
    const own = { issuerDid: `did:web:${hosted.issuerId}.example`, credentialId: 'hosted', credentialSubject: {} };
    await issue(page, { ...own, credentialSubject: { level: 4 } });
    await (await approvalOf(page)).getByRole('button', { name: 'Understood' }).click();
    expect(await result(page)).toMatchObject({ name: 'USER_CANCELLED' });
    await issue(page, own);
    await (await approvalOf(page)).getByText('level').waitFor();
    await approve(page);
    expect(await result(page)).toEqual({ value: {} });
    expect(hosted.requests.map(({ path }) => path)).toContain('/issue-vc');
  });

  it('credentials are refused with their fault', async () => {
    const { page } = await userOf();
    const tried = async (options: object) => {
      await issue(page, options);
      return (await result(page)).name;
    };
    expect(await tried({ issuerDid: 'did:web:other.example' })).toBe('INVALID_PARAMETER');
    for (const options of [{ credentialId: 'nothing' }, { authToken: 'a.b.c', credentialSubject: 'x' }])
      expect(await tried(options)).toBe('INVALID_PARAMETER');
    await verify(page, 'three', { redirectUrl: 'javascript:alert(1)' });
    expect((await result(page)).message).toContain('redirectUrl');
    await verify(page, 'nothing');
    expect(await result(page)).toMatchObject({ name: 'INVALID_PARAMETER' });
    await begin(page, 'verifyCredential', { programId: 'three' }, 'issue');
    expect((await result(page)).name).toBe('PERMISSION_NOT_ENABLED');
    await issue(page, { credentialSubject: { level: 'x' } });
    await approve(page);
    expect((await result(page)).name).toBe('INVALID_PARAMETER');
  });

  it.each([
    ['another claim', 'coreClaimHash', 'a'.repeat(64)],
    ['another credential', 'credentialId', 'checked'],
  ])('credentials are not proven if the gateway claims %s', async (_name, member, value) => {
    const user = await userOf();
    await issueAside(user);
    let answers = 0;
    await user.page.context().route('**/v1/verifications/*/request', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.candidates[0][member] = value;
      await route.fulfill({ response, json: body });
    });
    user.page.context().on('request', (request) => void (request.url().endsWith('/answer') && answers++));
    await verify(user.page);
    await (await approvalOf(user.page)).getByRole('button', { name: 'Understood' }).click();
    expect(await result(user.page)).toMatchObject({ name: 'INTERNAL_SERVER_ERROR' });
    expect(answers).toBe(0);
  });
});
