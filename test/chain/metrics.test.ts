// What operators measure of the chain.
import { expect, it } from 'vitest';
import { issueMember } from '../events/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { startChainWorld, statusOnce } from './support.js';

it.skipIf(ANVIL === undefined)('tell of jobs that wait and of the relayer', async () => {
  const world = await startChainWorld();
  try {
    const metrics = async (): Promise<string> => (await world.gateway.admin('GET', '/metrics')).body;
    const hash = await issueMember(world, { rest: world.partner }, 'metrics@example.org');
    await statusOnce(world, hash, 'ONCHAIN');
    await until(async () => (await metrics()).includes('gateway_chain_relayer{what="pending"} 0\n'));
    const text = await metrics();
    expect(text).toMatch(/^gateway_chain_relayer\{what="balance"\} \d+(\.\d+)?(e\+\d+)?$/m);
    expect(text).toMatch(/^gateway_chain_jobs\{state="failed"\} 0$/m);
    expect(text).toMatch(/^gateway_chain_oldest_job_seconds \d/m);
  } finally {
    await world.close();
  }
});
