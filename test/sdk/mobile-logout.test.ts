// What a logout of an app leaves: nothing in its storage, and no session at the gateway, once the app reaches that.
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as Mobile from '../../src/sdk/mobile/index.js';
import { startWorld, type World } from '../holders/support.js';

let world: World;
let lib: typeof Mobile;
beforeAll(async () => {
  world = await startWorld();
  lib = await import(resolve('dist/sdk/mobile.js'));
});
afterAll(() => world.close());

/** An app on a device: its storage outlives it, and its network may be away. */
function device() {
  let text: string | undefined;
  const of = { isAway: false };
  const storage: Mobile.StoragePort = {
    read: async () => text,
    write: async (written) => {
      text = written;
    },
  };
  const reach: typeof fetch = (...request) =>
    of.isAway ? Promise.reject(new TypeError('no network')) : fetch(...request);
  const start = async () => {
    const core = new lib.CoreMobileService({ baseUrl: world.gateway.url, ports: { storage, fetch: reach } });
    await core.initialize({ partnerId: world.partnerId, env: 'sandbox', navigatorKey: { current: null } });
    return core;
  };
  /** Adds keys, as a login that made them would have. */
  const addKeys = (holderId: string) => {
    const keys = JSON.stringify({ holderId, value: { accountKey: 'secret' } });
    text = JSON.stringify([...JSON.parse(text ?? '[]'), [`core.${world.partnerId}.keys`, keys]]);
  };
  const login = async (email: string) =>
    (await start()).login({ authToken: world.token({ email }), onOtpRequest: () => world.lastCode(email) });
  return { of, start, login, addKeys, stored: () => text };
}

const sessions = () =>
  world.gateway.app.connection.collection('sessions').countDocuments({ partnerId: world.partnerId });

it('a logout of an app deletes the session and the keys from its storage, with a network and without', async () => {
  for (const isAway of [false, true]) {
    const app = device();
    const { id } = await app.login(`storage-${isAway}@example.com`);
    app.addKeys(id ?? '');
    const core = await app.start();
    expect(await core.rehydrate()).toMatchObject({ isLoggedIn: true });
    expect(app.stored()).toContain('secret');
    app.of.isAway = isAway;
    await core.logout();
    expect(app.stored()).not.toContain('secret');
    app.of.isAway = false;
    expect(await (await app.start()).rehydrate()).toEqual({ isLoggedIn: false });
  }
  await expect.poll(sessions).toBe(0);
});

it('a session that an app ended without a network ends at the gateway at the next start of the app', async () => {
  const app = device();
  await app.login('away@example.com');
  const core = await app.start();
  await core.rehydrate();
  expect(await sessions()).toBe(1);
  app.of.isAway = true;
  await core.logout();
  app.of.isAway = false;
  await app.start();
  await expect.poll(sessions).toBe(0);
  await expect.poll(app.stored).not.toContain('unrevoked');
});
