// What follows the event log, and what it does not disturb when it fails.
import { expect, it, onTestFinished, vi } from 'vitest';
import { leaseModels } from '../../src/store/lease.js';
import { eventually } from '../support/eventually.js';
import { startGateway } from '../support/gateway.js';

const put = (gateway: Awaited<ReturnType<typeof startGateway>>, id: string) =>
  gateway.admin('PUT', `/v1/admin/verifiers/${id}`, { body: { name: id, verifierDid: `did:web:${id}` } });

it('A follower that fails ends neither the numbering of events nor the counts, and continues where it failed', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { connection, services } = gateway.app;
  const { leases, checkpoints } = leaseModels(connection);
  const token = async () => (await leases.findById('events').lean())?.token;
  const seqOf = async (name: string) =>
    (await checkpoints.findById(name).lean<{ state?: { seq: number } }>())?.state?.seq;
  const newest = () => services.eventFeed.newestSeq();
  await put(gateway, 'before');
  await eventually(async () => expect(await seqOf('verification outcomes')).toBeGreaterThan(0));
  const [term, reached] = [await token(), await seqOf('verification outcomes')];
  const follow = vi.spyOn(services.verificationOutcomes, 'follow').mockRejectedValue(new Error('it cannot'));
  await put(gateway, 'meanwhile');
  await eventually(() => expect(follow.mock.calls.length).toBeGreaterThan(1));
  const before = await newest();
  await put(gateway, 'numbered');
  await eventually(async () => expect(await newest()).toBeGreaterThan(before));
  await eventually(async () => expect(await seqOf('traction')).toBe(await newest()));
  expect(await seqOf('verification outcomes')).toBe(reached);
  expect(await token()).toBe(term);
  follow.mockRestore();
  await eventually(async () => expect(await seqOf('verification outcomes')).toBe(await newest()));
});
