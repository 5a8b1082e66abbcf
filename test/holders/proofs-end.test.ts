// Proofs of a second factor end with the factor that gave them: a thief's session does not outlive the passkey that its holder removes.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { asksForProof, HERE, PASSKEYS, requestsOf, startPasskeyWorld } from './passkey-support.js';
import type { World } from './support.js';

const BACKUP = '/v1/holders/me/key-backup';
let world: World;
beforeAll(async () => {
  world = await startPasskeyWorld();
});
afterAll(() => world.close());

let email: string;
let own: string;
let thiefs: string;
const mine = new Authenticator();
const stolen = new Authenticator();
beforeEach(async () => {
  // Logins are limited for each partner.
  world.clock.now += 3_600_000;
  email = `${randomUUID()}@example.com`;
  own = await world.login(email);
  await requestsOf(world, own).add(mine);
});

/** Logs in once more, as somebody with the holder's mailbox. */
const another = async (): Promise<string> => {
  world.clock.now += 1_000;
  return world.login(email);
};
const as = (token: string) => requestsOf(world, token);
const isAsked = async (token: string): Promise<boolean> =>
  asksForProof(await as(token).as('POST', `${PASSKEYS}/options`));
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const recoveryProof = randomBytes(32);
const backup = (wraps: object[], proof?: Buffer) => ({
  ...{ data: 'AAAA', iv: 'AAAA', wraps },
  ...(proof === undefined ? {} : { recoveryProofHash: sha256(proof) }),
});
const RECOVERY = { kind: 'recovery', data: 'AAAA', iv: 'AAAA' };
const put = (body: object, match: Record<string, string>) =>
  world.gateway.rest('PUT', BACKUP, { body, headers: { authorization: `Bearer ${own}`, ...match } });

it('a removed passkey has proved nothing to other sessions any more, and the session that removes it goes on', async () => {
  const { id } = (await as(own).add(stolen)).body;
  thiefs = await another();
  expect((await as(thiefs).prove(stolen.get(await as(thiefs).assertion(), HERE))).status).toBe(204);
  expect(await isAsked(thiefs)).toBe(false);
  expect((await as(own).as('DELETE', `${PASSKEYS}/${id}`)).status).toBe(204);
  expect(await isAsked(thiefs)).toBe(true);
  expect(await isAsked(own)).toBe(false);
});

it('a recovery code that was replaced has proved nothing to other sessions any more', async () => {
  await put(backup([RECOVERY], recoveryProof), { 'if-none-match': '*' });
  thiefs = await another();
  const proved = await as(thiefs).as('POST', '/v1/holders/me/mfa', { recoveryProof: recoveryProof.toString('hex') });
  expect(proved.status).toBe(204);
  // What opens the backup is the same: the proofs stay.
  expect((await put({ ...backup([RECOVERY], recoveryProof), data: 'BBBB' }, { 'if-match': '*' })).status).toBe(200);
  expect(await isAsked(thiefs)).toBe(false);
  expect((await put(backup([RECOVERY], randomBytes(32)), { 'if-match': '*' })).status).toBe(200);
  expect(await isAsked(thiefs)).toBe(true);
  expect(await isAsked(own)).toBe(false);
});

it('factors that an operator removed have proved nothing to any session once there is a new one', async () => {
  await as(own).add(stolen);
  thiefs = await another();
  await as(thiefs).prove(stolen.get(await as(thiefs).assertion(), HERE));
  await world.gateway.admin('POST', '/v1/admin/holders/reset-mfa', { body: { email } });
  own = await another();
  expect((await as(own).add(new Authenticator())).status).toBe(201);
  expect(await isAsked(thiefs)).toBe(true);
  expect(await isAsked(own)).toBe(false);
});

it('a passkey whose proof ran out while it was made is added after a new proof, by the same response', async () => {
  const ready = mine.get(await as(own).assertion(), HERE);
  expect((await as(own).prove(ready)).status).toBe(204);
  world.clock.now += 14 * 60_000;
  const response = new Authenticator().create(await as(own).creation(), HERE);
  world.clock.now += 2 * 60_000;
  const late = await as(own).as('POST', PASSKEYS, { response });
  expect(asksForProof(late)).toBe(true);
  expect((await as(own).prove(mine.get(await as(own).assertion(), HERE))).status).toBe(204);
  expect((await as(own).as('POST', PASSKEYS, { response })).status).toBe(201);
});
