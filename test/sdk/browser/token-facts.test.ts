// What calls and typed messages do with tokens, in words: the token's address always, symbol and decimals as what its contract says.
import { encodeAbiParameters, encodeFunctionData, erc20Abi, maxUint256 } from 'viem';
import { expect, it } from 'vitest';
import { callFacts, permitFacts, type TokenParts } from '../../../src/wallet/keys/token-facts.js';
import { typedDataOf } from '../../../src/wallet/keys/typed-data.js';

const TOKEN = '0x1111111111111111111111111111111111111111';
const OTHER = '0x2222222222222222222222222222222222222222';
const SYMBOL = '0x95d89b41';

const partsWith = (read: TokenParts['read'], locale = 'en'): TokenParts => ({
  locale: () => locale,
  read,
});
const ofTusd = (locale?: string): TokenParts =>
  partsWith(
    async (_to, data) =>
      data === SYMBOL
        ? encodeAbiParameters([{ type: 'string' }], ['TUSD'])
        : encodeAbiParameters([{ type: 'uint8' }], [6]),
    locale,
  );
const silent = partsWith(() => Promise.reject(new Error('no such function')));
const callOf = (functionName: 'transfer' | 'approve', amount: bigint) =>
  ({
    to: TOKEN,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName, args: [OTHER, amount] }),
  }) as const;
const valuesOf = (facts: readonly { value: string }[] | undefined) => facts?.map(({ value }) => value);

it('a transfer is an amount in units of the token, with its address', async () => {
  expect(valuesOf(await callFacts(ofTusd(), callOf('transfer', 1_500_000n)))).toEqual([
    'Sends 1.5 TUSD.',
    OTHER,
    `${TOKEN}, which calls itself TUSD`,
  ]);
  expect(valuesOf(await callFacts(ofTusd('de'), callOf('transfer', 1_500_000n)))?.[0]).toBe('Sendet 1,5 TUSD.');
});

it('an allowance without a limit is all of the token, without end; of nothing, it is taken back', async () => {
  const [all] = valuesOf(await callFacts(ofTusd(), callOf('approve', maxUint256))) ?? [];
  expect(all).toBe(`${OTHER} may spend all your TUSD, without end.`);
  const [none] = valuesOf(await callFacts(ofTusd(), callOf('approve', 0n))) ?? [];
  expect(none).toBe(`${OTHER} may no longer spend this token.`);
});

it('of a contract that says nothing of itself, the smallest units and the address are shown', async () => {
  const [does, , token] = valuesOf(await callFacts(silent, callOf('transfer', 5n))) ?? [];
  expect(does).toContain(`5 of the smallest units (or the item of this number) of ${TOKEN}`);
  expect(token).toBe(TOKEN);
});

it.each([
  ['another function', { to: TOKEN, value: 0n, data: '0x12345678' }],
  ['more than the arguments', { ...callOf('transfer', 1n), data: `${callOf('transfer', 1n).data}00` }],
  ['no data', { to: TOKEN, value: 1n, data: '0x' }],
] as const)('a call with %s is not explained', async (_name, call) => {
  expect(await callFacts(ofTusd(), call)).toBeUndefined();
});

const permitOf = (more: object = {}) => ({
  types: {
    Permit: ['owner', 'spender']
      .map((name) => ({ name, type: 'address' }))
      .concat(['value', 'nonce', 'deadline'].map((name) => ({ name, type: 'uint256' }))),
  },
  primaryType: 'Permit',
  domain: { name: 'TUSD', version: '1', chainId: 1, verifyingContract: TOKEN },
  message: {
    owner: TOKEN,
    spender: OTHER,
    value: String(maxUint256),
    nonce: '0',
    deadline: String(maxUint256),
    ...more,
  },
});

it('a permit says who may spend what, and until when it can be used', async () => {
  expect(valuesOf(await permitFacts(ofTusd(), typedDataOf(permitOf(), 1)))).toEqual([
    `${OTHER} may spend all your TUSD, without end.`,
    'always',
    `${TOKEN}, which calls itself TUSD`,
  ]);
});

it('Permit2 says the same for each of its tokens', async () => {
  const typed = {
    primaryType: 'PermitSingle',
    domain: { name: 'Permit2' },
    message: {
      details: { token: TOKEN, amount: '2000000', expiration: '1900000000' },
      spender: OTHER,
      sigDeadline: '1900000000',
    },
  };
  const [does] = valuesOf(await permitFacts(ofTusd(), typed)) ?? [];
  expect(does).toMatch(new RegExp(`^${OTHER} may spend 2 TUSD, until March 17, 2030`));
});

it('what no type names is not signed, and is not shown', () => {
  const { message, domain } = typedDataOf({ ...permitOf({ note: 'this is free' }) }, 1);
  expect(Object.keys(message)).toEqual(['owner', 'spender', 'value', 'nonce', 'deadline']);
  expect(domain).toMatchObject({ verifyingContract: TOKEN });
  const unsigned = { ...permitOf(), types: { ...permitOf().types, EIP712Domain: [{ name: 'name', type: 'string' }] } };
  expect(typedDataOf(unsigned, 1).domain).toEqual({ name: 'TUSD' });
});

it('typed data of another chain are refused', () => {
  expect(() => typedDataOf(permitOf(), 2)).toThrow('chain 1, not for 2');
});
