// Transaction codes that are mailed: their mail says what they are for, and nobody gets too many.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Received, startMailServer } from '../support/mail-server.js';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';

/** The clock stands still, so that no ten minutes end in a test. It is ahead, so that the store does not delete their counts meanwhile. */
const NOW = Date.now() + 280_000;
const received: Received[] = [];
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let world: Membership;
beforeAll(async () => {
  mailServer = await startMailServer(received);
  world = await startMembership({ env: { SMTP_URL: mailServer.url }, clock: () => NOW });
});
afterAll(async () => {
  await world?.gateway.close();
  await mailServer?.close();
});

const offer = (more: object = {}) =>
  world.partner('POST', '/v1/offers', {
    ...{ issuerDid: world.issuerDid, credentialId: 'member', email: EMAIL },
    ...{ credentialSubject: { level: 7, since: '2024-01-01', note: 'a note' }, ...more },
  });

describe('The mail with a transaction code', () => {
  it('names the issuer, the wallet and the end, and does not look like that of a login', async () => {
    const { status, body } = await offer({ expiresIn: 3_600 });
    expect(status).toBe(201);
    await eventually(() => expect(received.some(({ text }) => text.includes('credential'))).toBe(true));
    const { text } = received.find(({ text }) => text.includes('Your code for a credential')) as Received;
    const words = text.replace(/=\r?\n/g, '').replace(/\s+/g, ' ');
    expect(words).toMatch(
      /offers you a credential\. The code that your wallet asks for, .* is \d{6}\. It is good until/,
    );
    expect(words).toContain(`${String(body.expiresAt).slice(0, 16).replace('T', ' ')} UTC`);
    expect(words).not.toMatch(/login|ten minutes/);
  });

  it('goes to one person at most 30 times in ten minutes; codes that the partner passes on are not counted', async () => {
    const statuses: number[] = [];
    for (let at = 1; at < 31; at += 1) statuses.push((await offer()).status);
    expect(statuses).toEqual([...Array(29).fill(201), 429]);
    expect((await offer({ txCode: 'partner' })).status).toBe(201);
  });
});
