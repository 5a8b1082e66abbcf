// Promises of key backups: what a holder's client encrypted comes back as it was, one writer wins, and the gateway can open nothing.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpOf } from '../support/database.js';
import type { RestAnswer } from '../support/gateway.js';
import { startWorld, type World } from './support.js';

const PATH = '/v1/holders/me/key-backup';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hkdf = (secret: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32));

/** AES-256-GCM, the tag after the ciphertext, as WebCrypto has it. */
function seal(key: Buffer, plain: Buffer) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { data: data.toString('base64'), iv: iv.toString('base64') };
}

function open(key: Buffer, { data, iv }: { data: string; iv: string }): Buffer {
  const bytes = Buffer.from(data, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64')).setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
}

/** A backup by the steps of docs/sdk.md, and what opens it. */
function backupWith(keys: string, code = randomBytes(20)) {
  const key = randomBytes(32);
  const proof = hkdf(code, 'core/recovery/v1');
  const wraps = [{ kind: 'recovery', ...seal(hkdf(code, 'core/backup/v1'), key) }];
  const backup = { ...seal(key, Buffer.from(keys)), wraps, recoveryProofHash: sha256(proof) };
  return { backup, code, key, proof: proof.toString('hex') };
}

const FIRST = { 'if-none-match': '*' };

async function put(token: string, body: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> {
  return world.gateway.rest('PUT', PATH, { body, headers: { authorization: `Bearer ${token}`, ...headers } });
}
const get = (token: string) => world.asHolder('GET', PATH, token);
const prove = (token: string, recoveryProof: string) =>
  world.asHolder('POST', '/v1/holders/me/mfa', token, { recoveryProof });

describe('A key backup', () => {
  it('a key backup is returned as it was written, opens with the recovery code, and is nowhere in plaintext', async () => {
    const token = await world.login('backup@example.com');
    const canary = `account key ${randomBytes(16).toString('hex')}`;
    const { backup, code, key, proof } = backupWith(canary);
    expect((await get(token)).status).toBe(404);
    const written = await put(token, backup, FIRST);
    expect([written.status, written.body]).toEqual([200, { ...backup, etag: expect.any(String) }]);
    const read = await get(await world.login('backup@example.com'));
    expect(read.body).toEqual(written.body);
    expect(read.headers.get('etag')).toBe(`"${read.body.etag}"`);
    const opened = open(open(hkdf(code, 'core/backup/v1'), read.body.wraps[0]), read.body);
    expect(opened.toString()).toBe(canary);
    const dump = await dumpOf(world.gateway.app.connection);
    for (const secret of [Buffer.from(canary), code, key, Buffer.from(proof, 'hex')])
      for (const form of ['latin1', 'hex', 'base64', 'base64url'] as const)
        expect(dump).not.toContain(secret.toString(form));
  });

  it('a key backup is written first by one of several concurrent clients', async () => {
    const token = await world.login('first@example.com');
    const bodies = Array.from({ length: 5 }, (_, at) => backupWith(`keys ${at}`).backup);
    const answers = await Promise.all(bodies.map((body) => put(token, body, FIRST)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await get(token)).body).toEqual(winner?.body);
  });

  it('a key backup is replaced by a client with its etag, and by one of several at once', async () => {
    const token = await world.login('replace@example.com');
    const { etag } = (await put(token, backupWith('a').backup, FIRST)).body;
    const answers = await Promise.all(
      ['b', 'c', 'd'].map((keys) => put(token, backupWith(keys).backup, { 'if-match': `"${etag}"` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await put(token, backupWith('e').backup, { 'if-match': etag })).status).toBe(412);
    expect((await put(token, backupWith('f').backup, { 'if-match': '*' })).status).toBe(200);
  });

  it('a key backup is not written without a precondition', async () => {
    const token = await world.login('blind@example.com');
    expect((await put(token, backupWith('a').backup)).status).toBe(412);
    expect((await put(token, backupWith('a').backup, { 'if-match': '*' })).status).toBe(412);
    await put(token, backupWith('a').backup, FIRST);
    expect((await put(token, backupWith('b').backup)).status).toBe(412);
    expect((await put(token, backupWith('b').backup, { 'if-none-match': '"x"' })).status).toBe(400);
  });

  const { backup } = backupWith('keys');
  it.each<[string, object, number, string]>([
    ['without a way to prove it', { ...backup, recoveryProofHash: undefined }, 400, 'recoveryProofHash'],
    ['whose hash is not one', { ...backup, recoveryProofHash: 'AB'.repeat(32) }, 400, 'recoveryProofHash'],
    ['without a way in', { ...backup, wraps: [] }, 400, 'wraps'],
    ['with 21 ways in', { ...backup, wraps: Array(21).fill(backup.wraps[0]) }, 400, 'wraps'],
    ['with a way in of another kind', { ...backup, wraps: [{ ...backup.wraps[0], kind: 'sms' }] }, 400, 'kind'],
    ['in plain', { ...backup, data: '{"v":1}' }, 400, 'data'],
    ['without an initialization vector', { ...backup, iv: undefined }, 400, 'iv'],
    ['with another member', { ...backup, keys: 1 }, 400, 'keys'],
    ['over 16 KiB', { ...backup, data: 'A'.repeat(16_300) }, 413, '16 KiB'],
  ])('a key backup with %s is refused', async (_name, body, status, says) => {
    const token = await world.login(`refused-${randomUUID()}@example.com`);
    const answer = await put(token, body, FIRST);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(says)]);
    expect((await get(token)).status).toBe(404);
  });

  it('a key backup of 16 KiB with 20 wraps is accepted, in GraphQL too', async () => {
    const token = await world.login('large@example.com');
    const ways = Array.from({ length: 19 }, (_, at) => ({ ...backup.wraps[0], kind: 'PASSKEY', id: `passkey-${at}` }));
    const wraps = [{ ...backup.wraps[0], kind: 'RECOVERY' }, ...ways];
    const input = { ...backup, wraps, ifNoneMatch: '*', data: 'A'.repeat(10_000) };
    const query = 'mutation ($input: PutKeyBackupInput!) { putKeyBackup(input: $input) { keyBackup { etag } } }';
    const headers = { authorization: `Bearer ${token}` };
    const { data, errors } = await world.gateway.gql(query, { input }, headers);
    expect(errors).toBeUndefined();
    const read = await get(token);
    expect(read.body.etag).toBe(data.putKeyBackup.keyBackup.etag);
    expect(read.body.wraps).toHaveLength(20);
    const again = await world.gateway.gql('{ keyBackup { data wraps { kind id } etag } }', {}, headers);
    expect(again.data.keyBackup).toMatchObject({ data: input.data, wraps: wraps.map(({ kind }) => ({ kind })) });
  });
});

describe('A recovery proof', () => {
  it('a recovery proof is required if there is a recovery code, and is valid for 15 minutes in its session', async () => {
    const email = 'proof@example.com';
    const token = await world.login(email);
    const options = (of: string) => world.asHolder('POST', '/v1/holders/me/mfa/options', of);
    expect((await options(token)).body).toEqual({ options: null, recovery: false });
    expect((await prove(token, 'ab'.repeat(32))).status).toBe(409);
    const { backup, code, proof } = backupWith('keys');
    const { etag } = (await put(token, backup, FIRST)).body;
    expect((await options(token)).body).toEqual({ options: null, recovery: true });
    const other = await world.login(email);
    const next = () => put(other, backupWith('more keys', code).backup, { 'if-match': '*' });
    const refused = await next();
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="session", error="insufficient_user_authentication"',
    );
    expect((await get(other)).body.etag).toBe(etag);
    expect((await prove(other, proof)).status).toBe(204);
    world.clock.now += 14 * 60_000;
    expect((await next()).status).toBe(200);
    world.clock.now += 60_000;
    expect((await next()).status).toBe(403);
    // The session that made the first backup has proved it then.
    expect((await put(token, backup, { 'if-match': '*' })).status).toBe(403);
  });

  it('a recovery proof may be wrong ten times a day in a session; the right one costs nothing, and other sessions have their own tries', async () => {
    const email = 'guesses@example.com';
    const token = await world.login(email);
    const { backup, proof } = backupWith('keys');
    await put(token, backup, FIRST);
    const wrong = () => prove(token, randomBytes(32).toString('hex'));
    for (let at = 0; at < 9; at += 1) expect((await wrong()).status).toBe(400);
    expect((await prove(token, proof)).status).toBe(204);
    const last = await Promise.all([wrong(), wrong(), wrong()]);
    expect(last.map(({ status }) => status).sort()).toEqual([400, 429, 429]);
    expect((await prove(token, proof)).status).toBe(429);
    expect((await prove(await world.login(email), proof)).status).toBe(204);
    world.clock.now += 24 * 3_600_000;
    expect((await prove(await world.login(email), proof)).status).toBe(204);
  });

  it.each(['', 'zz'.repeat(32), 'ab'.repeat(31), 7])('a recovery proof cannot be %j', async (recoveryProof) => {
    const token = await world.login(`no-proof-${randomUUID()}@example.com`);
    const answer = await world.asHolder('POST', '/v1/holders/me/mfa', token, { recoveryProof });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('recoveryProof')]);
  });
});
