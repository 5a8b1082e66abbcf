// Writes events into a gateway's log in a transaction, as services do; their content does not matter.
import type { NewEvent } from '../../../src/store/event-port.js';
import type { TestGateway } from '../../support/gateway.js';

/** Appends lists of events, each in a transaction, one after the other. */
export async function append({ app }: TestGateway, ...transactions: (readonly NewEvent[])[]): Promise<void> {
  for (const events of transactions) {
    await app.connection.transaction((session) => app.services.events.append(events, session));
  }
}

/** Issuance events of a partner; their coreClaimHash is `<name>-<index>`. */
export function issuanceEvents(partnerId: string, name: string, count: number, payload: object = {}): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'submitted' as const,
    viewers: { partnerId },
    payload: { coreClaimHash: `${name}-${index}`, credentialId: null, issuerId: null, schemaId: 's', ...payload },
  }));
}

/** One event of a holder's session. */
export function holderEvent(holderId: string, type: 'initialized' | 'logged_out' = 'initialized'): NewEvent {
  return { type, viewers: { holderId }, payload: type === 'initialized' ? { rehydrated: true } : {} };
}

/** The hashes of the events that `issuanceEvents` makes. */
export function namesOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
