// Promises of the envelope: it is the contract's construction, only the holder opens it, and bad structures are named.
import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  checkEnvelope,
  decryptWith,
  encryptTo,
  generateX25519,
  pkcs8Of,
  privateKeyFrom,
  publicKeyHex,
  spkiOf,
  x25519FromHex,
  x25519PublicKey,
} from '../../src/keys/holder-encryption.js';

const SPKI_HEAD = '302a300506032b656e032100';
const PKCS8_HEAD = '302e020100300506032b656e04220420';
const holder = generateX25519();
const anEnvelope = await encryptTo(holder.publicKey, 'hello');

/** The issuer's side, written from the contract and not from our code. */
function encryptLikeAnIssuer(publicKeyHexText: string, plaintext: string) {
  const recipient = createPublicKey({
    key: Buffer.from(publicKeyHexText.slice(2), 'hex'),
    format: 'der',
    type: 'spki',
  });
  const ephemeral = generateKeyPairSync('x25519');
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient });
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]).toString('base64');
  const encryptedKey = ephemeral.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return { data, iv: iv.toString('base64'), authTag: cipher.getAuthTag().toString('base64'), encryptedKey };
}

describe('encryption to a holder', () => {
  it("the gateway's code decrypts what an issuer encrypted by the contract alone", async () => {
    const envelope = encryptLikeAnIssuer(publicKeyHex(spkiOf(holder.publicKey)), 'für dich');
    expect((await decryptWith(holder.privateKey, envelope)).toString()).toBe('für dich');
  });

  it('only the holder can decrypt', async () => {
    expect((await decryptWith(holder.privateKey, anEnvelope)).toString()).toBe('hello');
    await expect(decryptWith(generateX25519().privateKey, anEnvelope)).rejects.toThrow();
  });

  it('each encryption has another key pair and IV', async () => {
    const again = await encryptTo(holder.publicKey, 'hello');
    expect(again.encryptedKey).not.toBe(anEnvelope.encryptedKey);
    expect(again.iv).not.toBe(anEnvelope.iv);
  });

  it('a private key that is exported and imported again still decrypts', async () => {
    const copy = privateKeyFrom(pkcs8Of(holder.privateKey));
    expect((await decryptWith(copy, anEnvelope)).toString()).toBe('hello');
  });

  it('the key agreement is X25519 of RFC 7748, section 6.1', () => {
    const alice = privateKeyFrom(
      Buffer.from(`${PKCS8_HEAD}77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a`, 'hex'),
    );
    const bob = Buffer.from(`${SPKI_HEAD}de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f`, 'hex');
    expect(spkiOf(alice).subarray(12).toString('hex')).toBe(
      '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
    );
    expect(diffieHellman({ privateKey: alice, publicKey: x25519PublicKey(bob, 'bob') }).toString('hex')).toBe(
      '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742',
    );
  });
});

describe('structure checks name the field that is wrong', () => {
  const b64 = (bytes: number) => randomBytes(bytes).toString('base64');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
  const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
  it.each([
    ['iv', b64(11)],
    ['iv', b64(16)],
    ['iv', ''],
    ['iv', 'not base64!'],
    ['authTag', b64(12)],
    ['authTag', b64(17)],
    ['data', ''],
    ['data', 'YQ'],
    ['data', 'YR=='],
    ['data', 'YQ==\n'],
    ['encryptedKey', b64(44)],
    ['encryptedKey', b64(32)],
    ['encryptedKey', ''],
    ['encryptedKey', p256.toString('base64')],
    ['encryptedKey', ed25519.toString('base64')],
  ] as const)('%s: %j', (field, value) => {
    expect(() => checkEnvelope({ ...anEnvelope, [field]: value })).toThrow(
      expect.objectContaining({
        code: 'BAD_USER_INPUT',
        data: { field },
        message: expect.stringMatching(new RegExp(`^"${field}" `)),
      }),
    );
  });

  it('a part of an envelope that is too long is named in quotes', () => {
    const iv = Buffer.alloc(13).toString('base64');
    expect(() => checkEnvelope({ ...anEnvelope, iv })).toThrow('"iv" must have 12 bytes; it has 13.');
    expect(() => checkEnvelope({ ...anEnvelope, authTag: 'x' })).toThrow('"authTag" must be base64 with its padding.');
  });

  it.each([
    ['zero', '00'.repeat(32)],
    ['one', `01${'00'.repeat(31)}`],
    ['order 8', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'],
    ['order 8', '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157'],
    ['p - 1', `ec${'ff'.repeat(30)}7f`],
    ['p', `ed${'ff'.repeat(30)}7f`],
    ['p + 1', `ee${'ff'.repeat(30)}7f`],
    ['zero with the unused bit set', `${'00'.repeat(31)}80`],
  ])('a key that is a point of low order (%s) is refused: %s', (_, point) => {
    expect(() => x25519FromHex(`0x${SPKI_HEAD}${point}`, 'devicePublicKey')).toThrow('low order');
  });

  it.each(['', '0x', 'zz', `0x${'00'.repeat(44)}`, `0x${SPKI_HEAD}${'01'.repeat(31)}`, `0X${'00'.repeat(44)}`])(
    'hex of another form than an X25519 key is refused: %j',
    (hex) => {
      expect(() => x25519FromHex(hex, 'devicePublicKey')).toThrow('devicePublicKey');
    },
  );

  it('the hex form is accepted with and without 0x, in upper and lower case', () => {
    const hex = publicKeyHex(spkiOf(holder.publicKey));
    for (const form of [hex, hex.slice(2), `0x${hex.slice(2).toUpperCase()}`]) {
      expect(publicKeyHex(spkiOf(x25519FromHex(form, 'devicePublicKey')))).toBe(hex);
    }
  });
});

describe('a changed package', () => {
  it.each(['data', 'iv', 'authTag', 'encryptedKey'] as const)('does not open when %s was changed', async (part) => {
    const bytes = Buffer.from(anEnvelope[part], 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    await expect(decryptWith(holder.privateKey, { ...anEnvelope, [part]: bytes.toString('base64') })).rejects.toThrow();
  });
});
