// What an erasure reads as a whole: the time limit of requests does not end it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.js';

/** The collections that no index of a holder's names leads into. */
const WHOLE = ['auditEntries', 'issuanceJobRows', 'programUses', 'idempotencyKeys'];

it('An erasure goes through whole collections without a limit of time', async () => {
  const gateway = await startGateway({ monitorCommands: true });
  onTestFinished(() => gateway.close());
  const { connection, services } = gateway.app;
  const context = new AsyncLocalStorage<CommandStartedEvent[]>();
  connection.getClient().on('commandStarted', (event: CommandStartedEvent) => context.getStore()?.push(event));
  const names = { holderId: randomUUID(), did: 'did:none', email: 'none@example.org', addresses: [] };
  const holder = { ...names, at: new Date(), keyName: 'ops', erasureId: randomUUID() };
  const sent: CommandStartedEvent[] = [];
  await context.run(sent, async () => {
    for (const eraser of services.erasers.all) await eraser.erase(holder);
  });
  const limits = sent
    .map(({ commandName, command }) => [command[commandName], command.maxTimeMS])
    .filter(([collection]) => WHOLE.includes(collection));
  expect(limits.sort()).toEqual(WHOLE.map((collection) => [collection, 0]).sort());
});
