// The guard of the second factor: what a mailed code alone may not do, once the holder has a key backup, through every door.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROVED_OPERATIONS, type ProvedOperation } from '../../src/holders/second-factor.service.js';
import { Authenticator } from '../support/authenticator.js';
import { type Answer, BACKUP, DOORS, PASSKEYS, PROOF, putCakCatalog } from './doors.js';
import { device, startWorld, type World } from './support.js';

const EMAIL = 'guarded@example.com';
const authenticator = new Authenticator();

let world: World;
let session: string;
let origin: string;
beforeAll(async () => {
  world = await startWorld();
  await putCakCatalog(world);
  const first = await world.login(EMAIL);
  const headers = { authorization: `Bearer ${first}`, 'if-none-match': '*' };
  await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: BACKUP, headers });
  const { body } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partnerId}`);
  origin = new URL(body.publicUrl).origin;
  for (const _of of ['REST', 'GraphQL', 'assertions']) {
    const options = await world.asHolder('POST', `${PASSKEYS}/options`, first);
    const response = authenticator.create(options.body, { origin });
    await world.asHolder('POST', PASSKEYS, first, { response });
  }
});
afterAll(() => world.close());
beforeEach(async () => {
  // Logins are limited for each address.
  world.clock.now += 3_600_000;
  session = await world.login(EMAIL);
});

/** The doors of every operation of the table. */
const OF_OPERATION: Record<ProvedOperation, readonly (keyof typeof DOORS)[]> = {
  putKeyBackup: ['PUT /v1/holders/me/key-backup', 'putKeyBackup'],
  addPasskey: ['POST /v1/holders/me/passkeys/options', 'passkeyOptions', 'POST /v1/holders/me/passkeys', 'addPasskey'],
  removePasskey: ['DELETE /v1/holders/me/passkeys/:id', 'removePasskey'],
  rotateKey: ['POST /v1/holders/me/key/rotate'],
  setSigningKey: ['PUT /v1/holders/me/signing-key', 'setSigningKey'],
  initializeWallet: ['PUT /v1/holders/me/account', 'initializeWallet'],
  registerCak: ['PUT /v1/holders/me/cak', 'registerCak'],
};

const CASES = Object.entries(OF_OPERATION).flatMap(([operation, doors]) =>
  doors.map((door) => {
    const visit = (): Promise<Answer> => {
      // Each door removes another passkey.
      const passkeyId = authenticator.ids[door === 'removePasskey' ? 1 : 0] ?? '';
      return DOORS[door]({ world, session, origin, passkeyId });
    };
    return [operation as ProvedOperation, door, visit] as const;
  }),
);

describe('A mailed code alone', () => {
  it.each(CASES)(
    'a mailed code alone does not allow %s by %s, and a recovery proof does',
    async (operation, _door, call) => {
      const refused = await call();
      expect(refused.code).toBe('MFA_REQUIRED');
      expect(refused.message).toContain(PROVED_OPERATIONS[operation]);
      const proof = { recoveryProof: PROOF };
      expect((await world.asHolder('POST', '/v1/holders/me/mfa', session, proof)).status).toBe(204);
      expect((await call()).code).toBe(200);
    },
  );

  it.each(CASES)(
    'a mailed code alone does not allow %s by %s, and the assertion of a passkey does',
    async (operation, _door, call) => {
      if (operation === 'removePasskey') return;
      expect((await call()).code).toBe('MFA_REQUIRED');
      const { body } = await world.asHolder('POST', '/v1/holders/me/mfa/options', session);
      const response = authenticator.get(body.options, { origin });
      expect((await world.asHolder('POST', '/v1/holders/me/mfa', session, { response })).status).toBe(204);
      expect((await call()).code).toBe(200);
    },
  );

  it('a mailed code alone is enough for a holder without a second factor', async () => {
    session = await world.login('unguarded@example.com');
    for (const [operation, , call] of CASES)
      if (operation !== 'putKeyBackup' && operation !== 'removePasskey')
        expect([operation, (await call()).code]).toEqual([operation, 200]);
  });

  it('a mailed code alone allows reading, and the hand-over to a holder that has not had its key yet', async () => {
    session = await world.login('no-key-yet@example.com');
    const devicePublicKey = device().hex;
    expect((await world.asHolder('POST', '/v1/holders/me/key', session, { devicePublicKey })).status).toBe(200);
    expect((await world.asHolder('GET', '/v1/holders/me/key-backup', session)).status).toBe(404);
    expect((await world.asHolder('GET', '/v1/holders/me', session)).status).toBe(200);
  });
});
