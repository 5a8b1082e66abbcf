// Promises of the mail: with an SMTP server configured the code reaches it, to the one person, and a server that fails is said so.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from './support.js';

let world: World | undefined;
let server: SMTPServer | undefined;
afterEach(async () => {
  await world?.close();
  await new Promise<void>((done) => (server === undefined ? done() : server.close(done)));
});

interface Received {
  to: string[];
  text: string;
}

async function mailServer(received: Received[], refuse = false): Promise<string> {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done(refuse ? new Error('no room') : undefined);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

const PRODUCTION = {
  NETWORK_ENV: 'production',
  PUBLIC_URL: 'https://gateway.example',
  KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
  MAIL_FROM: 'login@gateway.example',
};

describe('in production', () => {
  it('the code goes through SMTP, and logs in', async () => {
    const received: Received[] = [];
    world = await startWorld({ ...PRODUCTION, SMTP_URL: await mailServer(received) });
    const { status, body } = await world.asPartner('/v1/auth/login', {}, { email: 'post@example.com' });
    expect(status).toBe(202);
    expect(received.map(({ to }) => to)).toEqual([['post@example.com']]);
    expect(received[0]?.text).toContain('From: login@gateway.example');
    const code = /code is (\d{6})/.exec(received[0]?.text ?? '')?.[1];
    const login = await world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code } });
    expect(login.body.isLoggedIn).toBe(true);
    expect(await world.gateway.app.connection.collection('sandboxMails').countDocuments({})).toBe(0);
  });

  it('a mail server that does not take the mail is answered with 503', async () => {
    world = await startWorld({ ...PRODUCTION, SMTP_URL: await mailServer([], true) });
    const answer = await world.asPartner('/v1/auth/login', {}, { email: 'post@example.com' });
    expect(answer.status).toBe(503);
    expect(answer.body.message).not.toContain('no room');
  });
});
