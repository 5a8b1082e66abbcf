// The ways into a key backup: passkeys and the recovery code. The last one stays, and an operator helps who has lost all.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { asksForProof, HERE, PASSKEYS, requestsOf, startPasskeyWorld } from './passkey-support.js';
import type { World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startPasskeyWorld();
});
afterAll(() => world.close());

let email: string;
let session: string;
beforeEach(async () => {
  // Logins are limited for each partner.
  world.clock.now += 3_600_000;
  email = `${randomUUID()}@example.com`;
  session = await world.login(email);
});

const as = (token: string, method: string, path: string, body?: unknown) =>
  requestsOf(world, token).as(method, path, body);
const add = (authenticator: Authenticator, ceremony = HERE, token = session) =>
  requestsOf(world, token).add(authenticator, ceremony);
const me = () => requestsOf(world, session).me();
/** Another session, which has proved nothing. */
const another = async (): Promise<string> => {
  world.clock.now += 1_000;
  return world.login(email);
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const PROOF = randomBytes(32);
const RECOVERY = { kind: 'recovery', data: 'AAAA', iv: 'AAAA' };
const backupOf = (wraps: object[], proof?: Buffer) => ({
  ...{ data: 'AAAA', iv: 'AAAA', wraps },
  ...(proof === undefined ? {} : { recoveryProofHash: sha256(proof) }),
});
const put = (body: object, match: Record<string, string>, token = session) =>
  world.gateway.rest('PUT', '/v1/holders/me/key-backup', {
    body,
    headers: { authorization: `Bearer ${token}`, ...match },
  });
const FIRST = { 'if-none-match': '*' };
const LATER = { 'if-match': '*' };

describe('The ways into a key backup', () => {
  it('the ways into a backup may be a passkey alone, whose proof the backup then asks for', async () => {
    const { id } = (await add(new Authenticator())).body;
    const wrap = { kind: 'passkey', id, data: 'AAAA', iv: 'AAAA' };
    const unproved = await another();
    expect(asksForProof(await put(backupOf([wrap]), FIRST, unproved))).toBe(true);
    const written = await put(backupOf([wrap]), FIRST);
    expect([written.status, written.body]).toEqual([200, { ...backupOf([wrap]), etag: expect.any(String) }]);
    expect((await as(session, 'POST', '/v1/holders/me/mfa/options')).body.recovery).toBe(false);
  });

  it.each([
    ['a passkey of nobody', () => [{ kind: 'passkey', id: 'AAAA', data: 'AAAA', iv: 'AAAA' }]],
    ['the recovery code without its hash', () => [RECOVERY]],
  ])('the ways into a backup are not %s', async (_name, wraps) => {
    await add(new Authenticator());
    const answer = await put(backupOf(wraps()), FIRST);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('recoveryProofHash')]);
  });

  it('the ways into a backup lose what a removed passkey had, and the last one stays', async () => {
    const ids: string[] = [];
    for (let time = 0; time < 2; time += 1) ids.push((await add(new Authenticator())).body.id);
    const [one = '', two = ''] = ids;
    const wraps = ids.map((id) => ({ kind: 'passkey', id, data: 'AAAA', iv: 'AAAA' }));
    const { etag } = (await put(backupOf(wraps), FIRST)).body;
    expect((await as(session, 'DELETE', `${PASSKEYS}/${one}`)).status).toBe(204);
    const left = (await as(session, 'GET', '/v1/holders/me/key-backup')).body;
    expect(left.wraps).toEqual([wraps[1]]);
    expect(left.etag).not.toBe(etag);
    const refused = await as(session, 'DELETE', `${PASSKEYS}/${two}`);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('last way in')]);
    // A passkey that opens nothing does not replace one that does.
    await add(new Authenticator());
    expect((await as(session, 'DELETE', `${PASSKEYS}/${two}`)).status).toBe(409);
    expect((await put(backupOf([...wraps.slice(1), RECOVERY], PROOF), LATER)).status).toBe(200);
    expect((await as(session, 'DELETE', `${PASSKEYS}/${two}`)).status).toBe(204);
    expect((await as(session, 'DELETE', `${PASSKEYS}/${two}`)).status).toBe(404);
  });

  it('the ways into a backup stay one at least where two passkeys are removed at once', async () => {
    const ids: string[] = [];
    for (let time = 0; time < 2; time += 1) ids.push((await add(new Authenticator())).body.id);
    await put(backupOf(ids.map((id) => ({ kind: 'passkey', id, data: 'AAAA', iv: 'AAAA' }))), FIRST);
    const answers = await Promise.all(ids.map((id) => as(session, 'DELETE', `${PASSKEYS}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('the ways into a backup are removed by an operator for a holder who has lost all, and the next ones need no proof', async () => {
    await add(new Authenticator());
    await put(backupOf([RECOVERY], PROOF), FIRST);
    const { id: userId } = await me();
    const reset = (body: object) => world.gateway.admin('POST', '/v1/admin/holders/reset-mfa', { body });
    expect((await reset({ userId, email })).status).toBe(400);
    expect((await reset({ userId: randomUUID() })).status).toBe(404);
    const { status, body } = await reset({ email });
    expect([status, body]).toEqual([200, { userId, passkeyCount: 1, hadKeyBackup: true }]);
    session = await another();
    expect((await me()).isMFASetup).toBe(false);
    expect((await as(session, 'GET', '/v1/holders/me/key-backup')).status).toBe(404);
    expect((await add(new Authenticator())).status).toBe(201);
    expect((await put(backupOf([RECOVERY], PROOF), FIRST)).status).toBe(200);
  });
});
