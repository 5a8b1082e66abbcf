// EIP-55 and EIP-191 by the vectors that others publish.
import { describe, expect, it } from 'vitest';
import { checksummed, signerOf } from '../../src/keys/ethereum.js';

/** secp256k1's group order. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** web3.js documentation, `eth.accounts.sign('Some data', '0x4c0883a6…')`. */
const MESSAGE = 'Some data';
const SIGNER = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const R = 'b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd';
const S = '6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029';

describe('an address', () => {
  // EIP-55's own test cases.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('an address has its EIP-55 checksum: %s', (address) => {
    expect(checksummed(address)).toBe(address);
    expect(checksummed(address.toLowerCase())).toBe(address);
  });

  it('a text with a wrong checksum or another length is no address', () => {
    expect(checksummed('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toBeUndefined();
    expect(checksummed('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA')).toBeUndefined();
    expect(checksummed('5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBeUndefined();
  });
});

describe('a signature', () => {
  it.each(['1c', '01'])('a signature reveals its signer, with v written as %s', (v) => {
    expect(signerOf(MESSAGE, `0x${R}${S}${v}`)).toBe(SIGNER);
  });

  it('a signature over another text, or with another v, has another signer', () => {
    expect(signerOf('Some date', `0x${R}${S}1c`)).not.toBe(SIGNER);
    expect(signerOf(MESSAGE, `0x${R}${S}1b`)).not.toBe(SIGNER);
  });

  it('the second form of a signature, with a high s, is refused', () => {
    const high = (ORDER - BigInt(`0x${S}`)).toString(16).padStart(64, '0');
    expect(signerOf(MESSAGE, `0x${R}${high}1b`)).toBeUndefined();
  });

  it.each([
    '',
    '0x',
    `0x${R}${S}`,
    `0x${R}${S}1d`,
    `0x${R}${S}25`,
    `0x${'00'.repeat(64)}1b`,
    `0x${'ff'.repeat(64)}1b`,
    `${R}${S}1c`,
    `0x${R}${S}1cff`,
  ])('an invalid signature has no signer: %s', (signature) => {
    expect(signerOf(MESSAGE, signature)).toBeUndefined();
  });
});
