// Promises of the mail: with an SMTP server configured the code reaches it, to the one person, and a server that fails is said in readiness and holds nobody.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { MailQueue } from '../../src/holders/mail-queue.js';
import { eventually } from '../support/eventually.js';
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

async function mailServer(received: Received[], refusal = { refuses: false }): Promise<string> {
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
        done(refusal.refuses ? Object.assign(new Error('no room'), { responseCode: 452 }) : undefined);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

const PRODUCTION = {
  NETWORK_ENV: 'production',
  HOLDER_DID_TYPE: '03d1',
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
    await eventually(() => expect(received.map(({ to }) => to)).toEqual([['post@example.com']]));
    expect(received[0]?.text).toContain('From: login@gateway.example');
    const code = /code is (\d{6})/.exec(received[0]?.text ?? '')?.[1];
    const login = await world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code } });
    expect(login.body.isLoggedIn).toBe(true);
    expect(await world.gateway.app.connection.collection('sandboxMails').countDocuments({})).toBe(0);
  });

  it('a mail server that does not take mails is told in readiness, and the code arrives once it does', async () => {
    const received: Received[] = [];
    const refusal = { refuses: true };
    world = await startWorld({ ...PRODUCTION, SMTP_URL: await mailServer(received, refusal) });
    const ready = async () => (await world?.gateway.rest('GET', '/health/ready'))?.body;
    const answer = await world.asPartner('/v1/auth/login', {}, { email: 'post@example.com' });
    expect(answer.status).toBe(202);
    const failing = { status: 'ready', problems: [expect.stringContaining('Mails cannot be sent')] };
    await eventually(async () => expect(await ready()).toEqual(failing));
    refusal.refuses = false;
    await eventually(async () => expect(await ready()).toEqual({ status: 'ready' }));
    expect(received.at(-1)?.text).toContain('code is ');
  });

  it('a mail server that says nothing holds neither logins nor the end of the process', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    world = await startWorld({ ...PRODUCTION, SMTP_URL: `smtp://127.0.0.1:${port}` });
    const connected = once(silent, 'connection');
    const logins = Array.from({ length: 8 }, (_, at) =>
      world?.asPartner('/v1/auth/login', {}, { email: `${at}@example.com` }),
    );
    for (const answer of await Promise.all(logins)) expect(answer?.status).toBe(202);
    await connected;
    await world.close();
    world = undefined;
    silent.close();
  });
});

describe('the queue', () => {
  it('ends an attempt that takes too long, tries again, and takes no more mails than it can hold', async () => {
    const told: string[] = [];
    const problems = { raise: (part: string) => void told.push(part), clear: () => {} };
    let attempts = 0;
    const send = () => {
      attempts += 1;
      return new Promise<never>(() => {});
    };
    const queue = new MailQueue<number>({ send, problems, attemptMs: 5, pausesMs: [1, 1] });
    expect(queue.put(0)).toBe(true);
    await eventually(() => expect(attempts).toBe(3));
    await eventually(() => expect(queue.size).toBe(0));
    expect(told).toEqual(['mail', 'mail', 'mail']);
    const stuck = new MailQueue<number>({ send, problems });
    const taken = Array.from({ length: 2_000 }, (_, at) => stuck.put(at)).filter(Boolean);
    expect(taken).toHaveLength(1_005);
    stuck.close();
  });
});
