// `webhooks listen`: a partner on a laptop gets its deliveries, signed as the real ones.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type OutputOptions, Terminal } from '../../src/cli/output.js';
import { type ListenOptions, listen } from '../../src/cli/webhooks-listen.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Receiver } from '../webhooks/receiver.js';
import { arrived, issueMany } from '../webhooks/support.js';
import { folderOf, runCli } from './run-cli.js';

let membership: Membership;
beforeAll(async () => {
  membership = await startMembership();
});
afterAll(() => membership.gateway.close());

async function receiverOf(): Promise<Receiver> {
  const receiver = await new Receiver().start();
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** Starts the command; it ends with the test. */
async function listening(receiver: Receiver, options: Partial<ListenOptions & OutputOptions>) {
  const folder = folderOf({ token: await membership.token() });
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const end = new AbortController();
  const terminal = new Terminal(out, out, { PORT: '1' });
  const common = { url: membership.gateway.url, forward: receiver.url(), tokenFile: join(folder, 'token') };
  const ended = listen(terminal.config(), { ...common, ...options }, terminal, end.signal);
  onTestFinished(() => {
    end.abort();
    return ended;
  });
  await eventually(() => expect(text).toContain('whsec_'));
  receiver.secrets.set('/', /whsec_[^\s"]+/.exec(text)?.[0] ?? '');
  return () => text.trim().split('\n');
}

it('webhooks listen forwards events as webhooks deliver them, to a receiver that verifies with the package alone', async () => {
  const receiver = await receiverOf();
  const lines = await listening(receiver, { json: true, after: await newestId() });
  const [hash] = await issueMany(membership, 1, 'laptop');
  await arrived(receiver, 2);
  const { items } = (await membership.partner('GET', '/v1/events')).body;
  const own = items.filter(({ coreClaimHash }: { coreClaimHash: string }) => coreClaimHash === hash);
  expect(receiver.received.map(({ data }) => data)).toEqual(own);
  for (const { type, timestamp, data } of receiver.received) expect([type, timestamp]).toEqual([data.type, data.at]);
  expect(receiver.forged).toEqual([]);
  await eventually(() => expect(lines()).toHaveLength(3));
  expect(
    lines()
      .slice(1)
      .map((line) => JSON.parse(line)),
  ).toMatchObject(
    receiver.received.map(({ id, data }) => ({ deliveryId: id, eventId: data.id, type: data.type, status: 204 })),
  );
});

it('webhooks listen continues after a refusal and after an unreachable receiver, and forwards only the requested types', async () => {
  const receiver = await receiverOf();
  const lines = await listening(receiver, { types: 'stored', after: await newestId() });
  receiver.answer = 500;
  await issueMany(membership, 1, 'refused');
  await eventually(() => expect(lines().at(-1)).toMatch(/^msg_\S{27} stored 500 {2}event \S{22}$/));
  await receiver.stop();
  await issueMany(membership, 1, 'away');
  await eventually(() => expect(lines().at(-1)).toMatch(/^msg_\S{27} stored E\w+ {2}event \S{22}$/));
  await receiver.start();
  receiver.answer = 204;
  const [hash] = await issueMany(membership, 1, 'back');
  await eventually(() => expect(receiver.received.at(-1)?.data.coreClaimHash).toBe(hash));
  expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(['stored']));
});

it('webhooks listen sends an event again under the same id, with the secret of a file', async () => {
  const [receiver, file] = [await receiverOf(), join(folderOf(), 'secret')];
  const after = await newestId();
  await listening(receiver, { secretFile: file, after });
  await issueMany(membership, 1, 'twice');
  await arrived(receiver, 2);
  const ids = receiver.ids();
  await listening(receiver, { secretFile: file, after });
  await eventually(() => expect(receiver.received).toHaveLength(4));
  expect([receiver.ids(), receiver.forged]).toEqual([ids, []]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8').trim()).toBe(receiver.secrets.get('/'));
});

it.each([
  ['an address that is none', ['--forward', 'localhost'], /--forward must be an address/],
  [
    'a file without a secret',
    ['--forward', 'http://127.0.0.1:9/', '--secret-file', 'package.json'],
    /contains no webhook secret/,
  ],
  ['a type that does not exist', ['--forward', 'http://127.0.0.1:9/', '--types', 'nonsense'], /"types" must be one of/],
  ['an event that does not exist', ['--forward', 'http://127.0.0.1:9/', '--after', 'x'], /The gateway refused/],
])('webhooks listen refuses %s in one sentence', async (_name, args, sentence) => {
  const folder = folderOf({ token: await membership.token() });
  const common = ['--url', membership.gateway.url, '--token-file', join(folder, 'token')];
  const { code, err } = await runCli(['webhooks', 'listen', ...common, ...args]);
  expect([code, err]).toEqual([1, expect.stringMatching(sentence)]);
});

async function newestId(): Promise<string> {
  return (await membership.partner('GET', '/v1/events?limit=100')).body.nextAfter;
}
