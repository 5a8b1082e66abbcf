// Promises of the sealed box: what is sealed stays secret, stays where it belongs, and outlives a key rotation.
import { hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SealedBox, UnsealError } from '../../src/keys/sealed-box.js';

const key = randomBytes(32);
const box = new SealedBox(key);
const mine = { what: 'holder-key', whose: 'h1' } as const;

describe('sealing', () => {
  it('unsealing returns what was sealed, text and bytes, the empty value too', () => {
    const bytes = randomBytes(1000);
    expect(box.unseal(box.seal(bytes, mine), mine)).toEqual(bytes);
    expect(box.unsealText(box.seal('grüße', mine), mine)).toBe('grüße');
    expect(box.unseal(box.seal('', mine), mine)).toHaveLength(0);
  });

  it('a sealed value never contains the plaintext, and is never the same twice', () => {
    const sealed = box.seal('canary-plaintext', mine);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('canary');
    expect(box.seal('canary-plaintext', mine)).not.toBe(sealed);
  });

  it.each([
    ['another owner', { what: 'holder-key', whose: 'h2' }],
    ['another kind of secret', { what: 'holder-email', whose: 'h1' }],
  ] as const)('does not open in the place of %s', (_, other) => {
    expect(() => box.unseal(box.seal('x', mine), other)).toThrow(UnsealError);
  });

  it('a sealed value with any changed byte cannot be opened', () => {
    const sealed = Buffer.from(box.seal('four', mine), 'base64url');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.unseal(changed.toString('base64url'), mine)).toThrow(UnsealError);
    }
  });

  it.each(['', 'AQ', 'not sealed at all', 'A'.repeat(60)])('%j, which was never sealed, cannot be opened', (text) => {
    expect(() => box.unseal(text, mine)).toThrow(UnsealError);
  });

  it('a box opens values of an earlier key, and seals with the new one', () => {
    const rotated = new SealedBox(randomBytes(32), [key]);
    expect(rotated.unsealText(box.seal('old', mine), mine)).toBe('old');
    expect(() => box.unseal(rotated.seal('new', mine), mine)).toThrow(UnsealError);
  });

  it('a key must have 32 bytes', () => {
    expect(() => new SealedBox(randomBytes(16))).toThrow('32 bytes');
  });
});

describe('keyed hashes', () => {
  it('keyed hashes of equal values are equal, for one purpose and key', () => {
    const hash = box.blindIndex('holder-email', 'ann@example.com');
    expect(new SealedBox(key).blindIndex('holder-email', 'ann@example.com')).toBe(hash);
    expect(box.blindIndex('holder-email', 'bob@example.com')).not.toBe(hash);
    expect(box.blindIndex('idempotency-body', 'ann@example.com')).not.toBe(hash);
    expect(new SealedBox(randomBytes(32)).blindIndex('holder-email', 'ann@example.com')).not.toBe(hash);
  });
});

describe('the HKDF they rest on', () => {
  it('keys are derived by HKDF of RFC 5869, appendix A.1', () => {
    const okm = hkdfSync(
      'sha256',
      Buffer.from('0b'.repeat(22), 'hex'),
      Buffer.from('000102030405060708090a0b0c', 'hex'),
      Buffer.from('f0f1f2f3f4f5f6f7f8f9', 'hex'),
      42,
    );
    expect(Buffer.from(okm).toString('hex')).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    );
  });
});
