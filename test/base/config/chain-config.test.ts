// Which chain the variables amount to, and what does not go together.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/base/config/config.js';

const THREE = { CHAIN_RPC_URL: 'https://rpc.example', CHAIN_ID: '10', RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}` };
const STORE = { MONGODB_URI: 'mongodb://localhost/x' };
const PRODUCTION = {
  ...STORE,
  NETWORK_ENV: 'production',
  HOLDER_DID_TYPE: '03d1',
  KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'),
  PUBLIC_URL: 'https://gateway.example',
};
const PUBLIC_KEY = `0xac0974bec39a${'00'.repeat(26)}`;
const problemsOf = (env: Record<string, string>): string => {
  try {
    loadConfig(env);
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('The chain', () => {
  it.each([
    ['a devnet in a sandbox with a store of its own', {}, 'devnet', 1, 2_000],
    ['none in a sandbox with another store', STORE, 'none', 5, 30_000],
    ['none in production', PRODUCTION, 'none', 5, 30_000],
    ['none where it is off', { CHAIN: 'off', ...THREE }, 'none', 5, 30_000],
    ['the one at the RPC address', { ...STORE, ...THREE }, 'rpc', 5, 30_000],
  ])('the chain is %s', (_, env, kind, confirmations, anchorIntervalMs) => {
    expect(loadConfig(env).chain).toMatchObject({ kind, confirmations, anchorIntervalMs });
  });

  it('the chain needs address, id and key together', () => {
    const { CHAIN_ID: _left, ...two } = THREE;
    expect(problemsOf(two)).toContain('must be set together');
    expect(problemsOf({ CHAIN_ID: '1' })).toContain('must be set together');
  });

  it("the chain's address may be http on this machine only", () => {
    expect(problemsOf({ ...THREE, CHAIN_RPC_URL: 'http://127.0.0.1:8545' })).toBe('');
    expect(problemsOf({ ...THREE, CHAIN_RPC_URL: 'http://node.example' })).toContain('CHAIN_RPC_URL must be an https');
  });

  it('production refuses public development keys, and no message repeats a key', () => {
    expect(problemsOf({ ...THREE, RELAYER_PRIVATE_KEY: PUBLIC_KEY })).toBe('');
    const refused = problemsOf({ ...PRODUCTION, ...THREE, RELAYER_PRIVATE_KEY: PUBLIC_KEY });
    expect(refused).toContain('a development key that everybody has');
    expect(refused).not.toContain(PUBLIC_KEY);
    expect(problemsOf({ ...THREE, RELAYER_PRIVATE_KEY: '0xsecret' })).not.toContain('secret');
  });

  it.each([
    ['CHAIN_CONFIRMATIONS', '0'],
    ['CHAIN_MAX_FEE_GWEI', '-1'],
    ['ANCHOR_INTERVAL_S', 'x'],
    ['CHAIN_ID', '99999999999999999'],
  ])("the chain's configuration refuses %s=%s", (name, value) => {
    expect(problemsOf({ ...THREE, [name]: value })).toContain(name);
  });
});
