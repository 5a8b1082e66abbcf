// The committed bytes are what the compiler makes of the committed sources.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { artifactOf, deploymentsOf } from '../../src/evm/contracts.js';

const FOLDER = 'contracts/artifacts';

it('Artifacts are compiled from the sources beside them; run npm run contracts after a change', async () => {
  const { artifacts } = (await import('../../tools/contracts.mjs' as string)) as {
    artifacts(): Record<string, string>;
  };
  const committed = Object.fromEntries(
    readdirSync(FOLDER).map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]),
  );
  expect(committed).toEqual(artifacts());
});

it('The EntryPoint is the one that stands on public chains: its bytes lead to its address', async () => {
  const canonical = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
  const deployments = await deploymentsOf('0x00000000000000000000000000000000000000aa', canonical);
  expect(deployments.map(({ name }) => name)).toEqual(['EntryPoint', 'AnchorRegistry', 'CoreId', 'CoreAccountFactory']);
  expect(deployments[0]?.address).toBe(canonical);
});

it('Contracts fit the size that chains allow (EIP-170)', () => {
  for (const name of ['AnchorRegistry', 'CoreId', 'CoreAccountFactory', 'CoreAccount'] as const)
    expect(artifactOf(name).deployedBytecode.length / 2).toBeLessThan(24_576);
});
