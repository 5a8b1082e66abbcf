// The committed contracts stand at their address, and fit.
import { expect, it } from 'vitest';
import { artifactOf, deploymentsOf } from '../../src/evm/contracts.js';

it('The EntryPoint is that of public chains: its bytes lead to its address', async () => {
  const canonical = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
  const deployments = await deploymentsOf('0x00000000000000000000000000000000000000aa', canonical);
  expect(deployments.map(({ name }) => name)).toEqual(['EntryPoint', 'AnchorRegistry', 'CoreId', 'CoreAccountFactory']);
  expect(deployments[0]?.address).toBe(canonical);
});

it('Contracts fit the size that chains allow (EIP-170)', () => {
  for (const name of ['AnchorRegistry', 'CoreId', 'CoreAccountFactory', 'CoreAccount', 'SandboxPool'] as const)
    expect(artifactOf(name).deployedBytecode.length / 2).toBeLessThan(24_576);
});
