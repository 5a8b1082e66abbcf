// A holder that was erased, in this gateway or another, gets no further packages: also if the holder was being looked up meanwhile.
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { StorageService, type StorageOptions } from '../../src/storage/storage.service.js';
import { encrypt } from '../support/holder-device.js';

const publicKey = `0x${generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
const facts = { holderDid: 'did:key:z1', schemaId: 's', expiresAt: null, proofType: 'JWT_VC' as const };
const caller = { kind: 'partner', partnerId: 'p', scopes: ['issue'] } as never;

let holderId: string | undefined;
let lookUp: () => Promise<void>;
let storage: StorageService;
beforeEach(() => {
  holderId = 'h';
  lookUp = async () => {};
  const ports: Partial<StorageOptions> = {
    holderIdOf: async () => {
      const read = holderId;
      await lookUp();
      return read;
    },
    isSchemaPublished: async () => true,
    keys: { signer: async () => ({ sign: async () => 'receipt' }) } as never,
    clock: Date.now,
  };
  storage = new StorageService(ports as StorageOptions);
});

const prepare = () => storage.prepare(caller, { ...facts, ...encrypt('text', publicKey) }, { externalId: 'x' });
/** What the erasure of a holder does to the lookup's source, and then to the cache. */
function erase(): void {
  holderId = undefined;
  storage.forgetHolders();
}

it('a cached holder is looked up again after an erasure', async () => {
  expect((await prepare()).holderId).toBe('h');
  erase();
  await expect(prepare()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a holder that is erased during its look-up is not cached', async () => {
  lookUp = async () => erase();
  await prepare();
  await expect(prepare()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a look-up that began before an erasure of anybody caches nothing, and later ones do', async () => {
  let looked = 0;
  lookUp = async () => {
    looked += 1;
    if (looked === 1) storage.forgetHolders();
  };
  for (let at = 0; at < 4; at += 1) expect((await prepare()).holderId).toBe('h');
  expect(looked).toBe(2);
});
