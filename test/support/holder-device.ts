// What the code of an issuer or a holder does with keys, written from the contract with node:crypto alone.
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** Encrypts as the sender (contract §4.2). */
export function encrypt(plaintext: string, recipientHex: string) {
  const recipient = createPublicKey({ key: Buffer.from(recipientHex.slice(2), 'hex'), format: 'der', type: 'spki' });
  const ephemeral = generateKeyPairSync('x25519');
  const key = derive(ephemeral.privateKey, recipient);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    data: data.toString('base64'),
    iv: iv.toString('base64'),
    authTag: cipher.getAuthTag().toString('base64'),
    encryptedKey: ephemeral.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

function derive(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return Buffer.from(
    hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), Buffer.alloc(0), 'data-enc-aes-256-gcm', 32),
  );
}

export function decrypt(
  privateKey: KeyObject,
  parts: { data: string; iv: string; authTag: string; key: string },
): Buffer {
  const ephemeral = createPublicKey({ key: Buffer.from(parts.key, 'base64'), format: 'der', type: 'spki' });
  const decipher = createDecipheriv('aes-256-gcm', derive(privateKey, ephemeral), Buffer.from(parts.iv, 'base64'));
  decipher.setAuthTag(Buffer.from(parts.authTag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(parts.data, 'base64')), decipher.final()]);
}

/** A did:key of P-256 as a public key (did:key method, multicodec 0x1200). */
export function keyOfDidKey(did: string): KeyObject {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = 0n;
  for (const character of did.slice('did:key:z'.length)) number = number * 58n + BigInt(alphabet.indexOf(character));
  const bytes = Buffer.from(number.toString(16).padStart(70, '0'), 'hex');
  if (bytes[0] !== 0x80 || bytes[1] !== 0x24) throw new Error('not a P-256 did:key');
  const head = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
  return createPublicKey({ key: Buffer.concat([head, bytes.subarray(2)]), format: 'der', type: 'spki' });
}
