// credo as a wallet of others, in a process of its own, with a gateway in another: offers, copies, refresh, status.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePorts, GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { CredoWallet } from './credo.js';

let gateway: GatewayProcess;
let partner: TestPartner;
let issuerDid: string;
beforeAll(async () => {
  const [port] = await freePorts(1);
  gateway = new GatewayProcess({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` });
  await gateway.start();
  issuerDid = await registerIssuer(gateway.asGateway, 'club');
  partner = await registerPartner(gateway.asGateway, [issuerDid]);
});
afterAll(async () => {
  await gateway?.stop('SIGTERM');
  gateway?.remove();
});

/** An offer of a credential, and the code that was mailed. */
async function offered(email: string): Promise<{ offerId: string; command: string; code: string }> {
  const body = { issuerDid, credentialId: 'club-credential', credentialSubject: { note: 'canary' }, email };
  const offer = await partner.rest('POST', '/v1/offers', body);
  expect(offer.status, JSON.stringify(offer.body)).toBe(201);
  const mailbox = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
  const { code } = mailbox.body.messages.at(-1);
  return { offerId: offer.body.offerId, code, command: `${offer.body.offerUri} ${code}` };
}

function startWallet(env?: Record<string, string>): CredoWallet {
  const wallet = new CredoWallet([`${gateway.url}/v1/sandbox/root.pem`], env);
  onTestFinished(() => wallet.close());
  return wallet;
}

it('takes an offer by the mailed code, and refreshes: ten copies each time, one issuance', async () => {
  const { offerId, command } = await offered('ada@example.org');
  const wallet = startWallet();
  const received = {
    configuration: 'club-credential',
    copies: 10,
    type: 'club',
    claims: { note: 'canary', vct: `http://localhost:${new URL(gateway.url).port}/vct/club-credential` },
  };
  expect(await wallet.run(command)).toMatchObject({ received: [received], waiting: 0, refreshable: true });
  const { body } = await partner.rest('GET', `/v1/offers/${offerId}`);
  expect(body).toMatchObject({ state: 'issued', walletEvent: 'credential_accepted' });
  expect(await wallet.run('refresh')).toMatchObject({ received: [received] });
  expect(await wallet.run('list')).toHaveLength(20);
  expect((await partner.rest('GET', `/v1/offers/${offerId}`)).body.coreClaimHash).toBe(body.coreClaimHash);
  // Credo reads the status of each copy that it gets.
  expect((await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash: body.coreClaimHash })).status).toBe(
    200,
  );
  // No copies any more: refused as a request of a credential at first, and as a grant when the refresh token is deleted.
  const refusals: string[] = [];
  const refusal = async (): Promise<string> => {
    refusals.push((await wallet.run('refresh')).error);
    return refusals.at(-1) ?? '';
  };
  await expect.poll(refusal).toContain('invalid_grant');
  for (const each of refusals) expect(each).toMatch(/credential_request_denied|invalid_grant/);
  expect(await wallet.run('list')).toHaveLength(20);
});

it('does not get what somebody else was offered', async () => {
  const { command, code } = await offered('grace@example.org');
  const wallet = startWallet();
  const wrong = code === '000000' ? '111111' : '000000';
  expect((await wallet.run(command.replace(code, wrong))).error).toContain('invalid_grant');
  expect(await wallet.run(command)).toMatchObject({ received: [{ copies: 10 }] });
  expect((await wallet.run(command)).error).toBeTruthy();
});

it('takes nothing from an issuer whom it does not trust', async () => {
  const { command } = await offered('eve@example.org');
  const wallet = new CredoWallet([]);
  onTestFinished(() => wallet.close());
  expect((await wallet.run(command)).error).toContain('trusted certificate');
});

it('answers a verifier: by the claim that is asked for, by the first choice that it has, or not at all', async () => {
  const { command } = await offered('ada.presents@example.org');
  const wallet = startWallet();
  await wallet.run(command);
  const asVerifier = async (method: string, path: string, body?: object) =>
    gateway.rest(method, path, { body, headers: { 'x-partner-auth': await partner.token({}, 'verify') } });
  const put = async (path: string, body: object) => {
    const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  /** Asks by a program with these conditions, for each accepted credential. */
  const asked = async (programId: string, accepted: [credentialId: string, condition: string][], more: object = {}) => {
    const acceptedCredentials = accepted.map(([credentialId, condition]) => ({
      credentialId,
      verificationConditions: [condition],
    }));
    const program = { name: programId, description: '', verifierId: 'agency', acceptedCredentials };
    await put(`programs/${programId}`, { ...program, pricingModel: 'Free', ...more });
    const answer = await asVerifier('POST', '/v1/verifications', { programId, wallet: { flow: 'cross_device' } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const { verificationId, wallet: request } = answer.body;
    return {
      answer: await wallet.run(request.uri),
      record: (await asVerifier('GET', `/v1/verifications/${verificationId}`)).body,
    };
  };
  const one = await asked('the-note', [['club-credential', 'note = "canary"']]);
  expect(one.answer).toMatchObject({ signedBy: 'x5c', answered: true, shown: { c0: [{ note: 'canary' }] } });
  expect(one.record).toMatchObject({ via: 'wallet', disclosed: ['note'], state: 'proved' });
  const otherDid = await registerIssuer(gateway.asGateway, 'guild');
  expect(otherDid).not.toBe(issuerDid);
  const second = await asked('either', [
    ['guild-credential', 'note = "canary"'],
    ['club-credential', 'note = "canary"'],
  ]);
  expect(second.answer).toMatchObject({ answered: true, shown: { c1: [{ note: 'canary' }] } });
  expect(second.record).toMatchObject({ credentialId: 'club-credential', state: 'proved' });
  const field = await asked('any-note', [['club-credential', 'note exists']], { disclose: true });
  expect(field.record).toMatchObject({ disclosed: ['note'], state: 'proved' });
  const none = await asked('another-note', [['club-credential', 'note = "gold"']]);
  expect([none.answer.answered, none.record.state]).toEqual([false, 'open']);
});
