// What is offered for gas, and how much more when that is not enough.
import { expect, it } from 'vitest';
import { currentFees, raisedFees } from '../../src/chain/fees.js';
import type { Block } from '../../src/evm/rpc.js';

const block = (baseFeePerGas: bigint): Block => ({ number: 1, hash: '0x', baseFeePerGas });
const tip = (hex: string) => async () => hex;

it('fees are twice the base fee and the tip of the node, up to the maximum', async () => {
  expect(await currentFees(tip('0x2'), block(10n), 1_000n)).toEqual({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n });
  expect(await currentFees(tip('0x2'), block(10n), 15n)).toEqual({ maxFeePerGas: 15n, maxPriorityFeePerGas: 2n });
  expect(await currentFees(tip('0xffff'), block(10n), 15n)).toEqual({ maxFeePerGas: 15n, maxPriorityFeePerGas: 15n });
});

it('the tip is 1 gwei if the node suggests none', async () => {
  const refusing = async () => Promise.reject(new Error('no such method'));
  expect((await currentFees(refusing, block(1n), 10n ** 12n)).maxPriorityFeePerGas).toBe(1_000_000_000n);
});

it('both fees are raised by 15 %, or to the current ones', () => {
  const before = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n };
  expect(raisedFees(before, before, 1_000n)).toEqual({ maxFeePerGas: 115n, maxPriorityFeePerGas: 12n });
  const dear = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 10n };
  expect(raisedFees(before, dear, 10_000n)).toEqual({ maxFeePerGas: 5_000n, maxPriorityFeePerGas: 12n });
});

it('fees are not raised if the maximum allows less than the 10 % that nodes require', () => {
  const before = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n };
  expect(raisedFees(before, before, 105n)).toBeUndefined();
  expect(raisedFees(before, before, 110n)).toEqual({ maxFeePerGas: 110n, maxPriorityFeePerGas: 12n });
});
