// Promises of a change of KEYSTORE_KEY: everything works as before under the new key alone, and the old one opens nothing any more.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rotateKeys } from '../../src/cli/keys.js';
import { loadConfig } from '../../src/config.js';
import { device, startWorld, unwrap, type World } from '../holders/support.js';

const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

const base64 = (key: Buffer): string => key.toString('base64');
const fileWith = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'keys-')), 'before');
  writeFileSync(path, text);
  return path;
};

describe('a change of KEYSTORE_KEY', () => {
  it('keeps holders, their keys and our signatures, under the new key alone', async () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const old = await startWorld({ KEYSTORE_KEY: base64(before) });
    worlds.push(old);
    const { body: recipient } = await old.initialize('rotate@example.com');
    await old.asPartner('/v1/auth/initialize-user', { email: 'rotate@example.com', partnerUserId: 'p-9' });
    const { body: jwks } = await old.gateway.rest('GET', '/.well-known/jwks.json');
    const { host, port, name } = old.gateway.app.connection;
    const MONGODB_URI = `mongodb://${host}:${port}/${name}`;
    const config = loadConfig({ MONGODB_URI, KEYSTORE_KEY: base64(after) });
    const said = await rotateKeys(config, fileWith(`${base64(before)}\n`));
    expect(said).toMatch(/^4 values/);
    const fresh = await startWorld({ MONGODB_URI, KEYSTORE_KEY: base64(after) });
    worlds.unshift(fresh);
    expect((await fresh.initialize('rotate@example.com')).body).toEqual({ ...recipient, status: 'existing' });
    expect((await fresh.gateway.rest('GET', '/.well-known/jwks.json')).body).toEqual(jwks);
    const token = await fresh.login('rotate@example.com', {});
    const mine = device();
    const { body } = await fresh.asHolder('POST', '/v1/holders/me/key', token, { devicePublicKey: mine.hex });
    expect(unwrap(body.wrappedKey, mine.privateKey).asymmetricKeyType).toBe('x25519');
    await expect(
      rotateKeys(loadConfig({ MONGODB_URI, KEYSTORE_KEY: base64(before) }), fileWith(base64(before))),
    ).rejects.toThrow('KEYSTORE_KEY');
  });

  it('needs the key before, 32 bytes', async () => {
    const config = loadConfig({ KEYSTORE_KEY: base64(randomBytes(32)) });
    await expect(rotateKeys(config, fileWith('c2hvcnQ='))).rejects.toThrow('32 bytes');
  });
});
