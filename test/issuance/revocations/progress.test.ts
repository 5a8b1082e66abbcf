// The progress of a revocation by filter whose end comes while the subscription begins.
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { RevocationWorker } from '../../../src/issuance/revocations/worker.js';
import { issueMember } from '../../events/support.js';
import { eventually } from '../../support/eventually.js';
import { type Membership, startMembership } from '../../support/membership.js';
import { preview, start } from './support.js';

let world: Membership;
beforeAll(async () => {
  world = await startMembership();
});
afterAll(() => world?.gateway.close());

it('the progress completes if the end comes while it reads the log, before any other progress', async () => {
  const { events, eventFeed } = world.gateway.app.services;
  let revokeNow = (): void => {};
  const mayRevoke = new Promise<void>((resolve) => {
    revokeNow = resolve;
  });
  const { work } = RevocationWorker.prototype;
  const working = vi.spyOn(RevocationWorker.prototype, 'work').mockImplementation(async function (
    this: RevocationWorker,
    ...job
  ) {
    await mayRevoke;
    return work.apply(this, job);
  });
  onTestFinished(() => working.mockRestore());
  await issueMember(world, { rest: world.partner }, 'progress@example.org');
  const { token } = await preview(world.partner, { credentialId: 'member' });
  const { jobId } = (await start(world.partner, token)).body;
  const told: string[] = [];
  onTestFinished(eventFeed.onEvents((some) => told.push(...some.map(({ type }) => type))));
  const newestOf = events.newestOf.bind(events);
  const reading = vi.spyOn(events, 'newestOf').mockImplementationOnce(async (...of) => {
    const before = await newestOf(...of);
    revokeNow();
    await eventually(() => expect(told).toContain('revocation_finished'));
    return before;
  });
  onTestFinished(() => reading.mockRestore());
  const response = await fetch(`${world.gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'x-partner-auth': await world.token(),
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: `subscription { revocationProgress(jobId: "${jobId}") { type } }` }),
  });
  expect(await response.text()).toContain('revocation_finished');
});
