// Promises of the mail: with an SMTP server configured the code reaches it, to the one person, and a server that fails is said in readiness and holds nobody.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { LoginMail, mailServerFault } from '../../src/holders/mail.service.js';
import { MailQueue } from '../../src/holders/mail-queue.js';
import { eventually } from '../support/eventually.js';
import { type Received, startMailServer } from '../support/mail-server.js';
import { startWorld, type World } from './support.js';

let world: World | undefined;
let server: SMTPServer | undefined;
afterEach(async () => {
  await world?.close();
  await new Promise<void>((done) => (server === undefined ? done() : server.close(done)));
});

async function mailServer(received: Received[], refusal = { refuses: false }): Promise<string> {
  const started = await startMailServer(received, refusal);
  server = started.server;
  return started.url;
}

const PRODUCTION = {
  NETWORK_ENV: 'production',
  HOLDER_DID_TYPE: '03d1',
  PUBLIC_URL: 'https://gateway.example',
  KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
  MAIL_FROM: 'login@gateway.example',
};

describe('in production', () => {
  it('in production, the code is sent by SMTP, and logs in', async () => {
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

  it('in production, readiness reports a mail server that refuses mails, and the code arrives once it accepts them', async () => {
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

  it('in production, a silent mail server delays neither logins nor the end of the process', async () => {
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
  it('the mail queue ends an attempt that takes too long, tries again, and accepts no more mails than fit', async () => {
    const told: string[] = [];
    const problems = { raise: (part: string) => void told.push(part), clear: () => {} };
    let attempts = 0;
    const send = () => {
      attempts += 1;
      return new Promise<never>(() => {});
    };
    const queue = new MailQueue<number>({
      send,
      problems,
      attemptMs: 5,
      delays: { firstMs: 1, mostMs: 1, retries: 2 },
    });
    expect(queue.put(0)).toBe(true);
    await eventually(() => expect(attempts).toBe(3));
    await eventually(() => expect(queue.size).toBe(0));
    expect(told).toEqual(['mail-not-taken', 'mail-not-taken', 'mail-not-taken']);
    const stuck = new MailQueue<number>({ send, problems });
    const taken = Array.from({ length: 2_000 }, (_, at) => stuck.put(at)).filter(Boolean);
    expect(taken).toHaveLength(1_005);
    stuck.close();
  });
});

describe('a mail whose recipient is refused', () => {
  it('is no problem of the server until three in a row are', async () => {
    const open = new Set<string>();
    const problems = { raise: (kind: string) => void open.add(kind), clear: (kind: string) => void open.delete(kind) };
    const refusal = Object.assign(new Error('no such user'), {
      code: 'EENVELOPE',
      command: 'RCPT TO',
      responseCode: 550,
    });
    const send = (mail: string) => (mail.startsWith('wrong') ? Promise.reject(refusal) : Promise.resolve());
    const queue = new MailQueue<string>({ send, problems });
    const sent = async (mail: string): Promise<string[]> => {
      queue.put(mail);
      await eventually(() => expect(queue.size).toBe(0));
      return [...open];
    };
    for (const mail of ['wrong 1', 'wrong 2', 'right', 'wrong 3', 'wrong 4']) expect(await sent(mail)).toEqual([]);
    expect(await sent('wrong 5')).toEqual(['mail-not-taken']);
    expect(await sent('right')).toEqual([]);
  });
});

describe('a mail server that always sends one more line', () => {
  /** What it answers before the line that never ends, by the commands that it has had. */
  const STEPS: Readonly<Record<string, readonly string[]>> = {
    'of its greeting': [],
    'of its answer to EHLO': ['220 x'],
    'of its answer to the sender': ['220 x', '250 x'],
    'of its answer to the recipient': ['220 x', '250 x', '250 x'],
    'of its answer to DATA': ['220 x', '250 x', '250 x', '250 x'],
    'of its answer to the mail': ['220 x', '250 x', '250 x', '250 x', '354 x'],
  };

  function drip(socket: Socket, answers: readonly string[]): void {
    const left = [...answers];
    let timer: NodeJS.Timeout | undefined;
    const next = (): void => {
      const answer = left.shift();
      if (answer !== undefined) socket.write(`${answer}\r\n`);
      else timer ??= setInterval(() => socket.write('250-x\r\n'), 100);
    };
    socket.on('error', () => {});
    socket.on('close', () => clearInterval(timer));
    socket.on('data', next);
    next();
  }

  /** The first connections drip; the later ones go to the good server. */
  async function dripping(answers: readonly string[], connections: number, goodUrl = 'smtp://127.0.0.1:1') {
    let left = connections;
    const sockets = new Set<Socket>();
    const front = createServer((near) => {
      sockets.add(near.on('close', () => sockets.delete(near)));
      left -= 1;
      if (left >= 0) return drip(near, answers);
      const far = connect(Number(new URL(goodUrl).port), '127.0.0.1');
      for (const socket of [near, far]) socket.on('error', () => {});
      near.pipe(far).pipe(near);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const close = (): void => {
      front.close();
      for (const socket of sockets) socket.destroy();
    };
    return { url: `smtp://127.0.0.1:${(front.address() as AddressInfo).port}`, sockets, close };
  }

  it.concurrent.each(Object.entries(STEPS))(
    'a mail server that always sends one more line, %s, keeps no sender busy: all mails arrive later',
    async (_, answers) => {
      const received: Received[] = [];
      const good = await startMailServer(received);
      const { url, close } = await dripping(answers, 5, good.url);
      const problems = { raise: () => {}, clear: () => {} };
      const attempts = { attemptMs: 2_000, delays: { firstMs: 1, mostMs: 1 } };
      const options = {
        attempts,
        smtpUrl: url,
        from: 'a@example.org',
        sandbox: false,
        retentionMs: 0,
        clock: Date.now,
      };
      const mail = new LoginMail({ ...options, models: {} as never, box: {} as never, problems: problems as never });
      for (let at = 0; at < 7; at += 1) await mail.sendCode(`${at}@example.org`, '123456');
      await eventually(() => expect(new Set(received.flatMap(({ to }) => to)).size).toBe(7));
      mail.close();
      close();
      await good.close();
    },
  );

  it.concurrent.each(Object.entries(STEPS).slice(0, 2))(
    'a mail server that always sends one more line, %s, is a fault for doctor',
    async (_, answers) => {
      const { url, sockets, close } = await dripping(answers, 2);
      expect(await mailServerFault(url, 300)).toMatchObject({ code: 'ETIMEDOUT' });
      // Also if the time is over before there is a connection.
      expect(await mailServerFault(url, 0)).toMatchObject({ code: 'ETIMEDOUT' });
      await eventually(() => expect(sockets.size).toBe(0));
      close();
    },
  );
});
