// Notices: what is changed for a holder is mailed to it, once, with what to do.
import { createHash, randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { BACKUP, PASSKEYS } from './doors.js';
import { startWorld, type World } from './support.js';

let world: World;
let origin: string;
let email: string;
let session: string;
let people = 0;
const authenticator = new Authenticator();
beforeAll(async () => {
  world = await startWorld();
  const { body } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partnerId}`);
  origin = new URL(body.publicUrl).origin;
});
afterAll(() => world.close());
beforeEach(async () => {
  people += 1;
  email = `told${people}@example.com`;
  session = await world.login(email);
});

interface Mail {
  subject: string;
  code: string | null;
  text?: string;
}

async function notices(): Promise<Mail[]> {
  const { body } = await world.gateway.admin('GET', `/v1/sandbox/mailbox?email=${email}`);
  return body.messages.filter(({ code }: Mail) => code === null);
}

async function addPasskey(): Promise<string> {
  const options = await world.asHolder('POST', `${PASSKEYS}/options`, session);
  const response = authenticator.create(options.body, { origin });
  expect((await world.asHolder('POST', PASSKEYS, session, { response })).status).toBe(201);
  // The same response again registers nothing.
  await world.asHolder('POST', PASSKEYS, session, { response });
  return response.id;
}

const account = privateKeyToAccount(generatePrivateKey());
async function register(by = account): Promise<void> {
  const challenge = await world.asHolder('POST', '/v1/holders/me/account/challenge', session, { address: by.address });
  const { challengeId, message } = challenge.body;
  const sent = { challengeId, signature: await by.signMessage({ message }) };
  expect((await world.asHolder('PUT', '/v1/holders/me/account', session, sent)).status).toBe(200);
}

async function putBackup(backup: object, condition: Record<string, string>): Promise<void> {
  const headers = { authorization: `Bearer ${session}`, ...condition };
  expect((await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: backup, headers })).status).toBe(200);
}

const newCode = () => ({ ...BACKUP, recoveryProofHash: createHash('sha256').update(randomBytes(32)).digest('hex') });

describe('Notices', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ['a new passkey', 'A new passkey', addPasskey],
    [
      'a new account',
      'A new account is registered',
      async () => {
        const own = privateKeyToAccount(generatePrivateKey());
        await register(own);
        await register(own);
      },
    ],
    [
      'a new recovery code',
      'A new recovery code',
      async () => {
        const backup = newCode();
        await putBackup(backup, { 'if-none-match': '*' });
        await putBackup({ ...backup, data: 'AAAB' }, { 'if-match': '*' });
      },
    ],
    [
      'a reset',
      'Your passkeys were reset',
      () => world.gateway.admin('POST', '/v1/admin/holders/reset-mfa', { body: { email } }),
    ],
  ])('a holder is mailed once of %s', async (_what, subject, change) => {
    await change();
    const mails = await notices();
    expect(mails.map((mail) => mail.subject)).toEqual([subject]);
    expect(mails[0]?.text).toMatch(/^On \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(mails[0]?.text).toMatch(
      subject.includes('reset') ? /write to the operator of/ : /at Acme, .*If it was not you: log in/,
    );
  });

  it('a holder is mailed of a passkey that was removed, and of a code that was replaced', async () => {
    const passkeyId = await addPasskey();
    await putBackup(newCode(), { 'if-none-match': '*' });
    await putBackup(newCode(), { 'if-match': '*' });
    expect((await world.asHolder('DELETE', `${PASSKEYS}/${passkeyId}`, session)).status).toBe(204);
    const subjects = (await notices()).map(({ subject }) => subject);
    expect(subjects).toEqual(['A new passkey', 'A new recovery code', 'A new recovery code', 'A passkey was removed']);
  });

  it('a refused change is mailed to nobody', async () => {
    await putBackup(newCode(), { 'if-none-match': '*' });
    session = await world.login(email);
    expect((await world.asHolder('POST', `${PASSKEYS}/options`, session)).status).toBe(403);
    expect(await notices()).toHaveLength(1);
  });
});
