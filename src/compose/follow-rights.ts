// Ends the rights of connected clients as soon as they are revoked.
import type { Clients } from '../http/callers/clients.js';
import type { Services } from './context.js';

/** Connected clients are checked when rights end: an operator's by its key, a partner's by its record, a session's by its event in the log. */
export function followRights(
  { changes, partners, operatorKeys, eventFeed, onError }: Services,
  clients: Clients,
): void {
  /** Sessions end when their partner is retired. */
  const endSessions = async (partnerId: string): Promise<void> => {
    if ((await partners.find(partnerId)) !== undefined) return;
    clients.check((caller) => caller.kind === 'holder' && caller.partnerId === partnerId);
  };
  // First, so that a check after an interruption does not meet a withdrawn key in memory.
  changes.listen(['operatorKeys'], {
    changed: () => {
      operatorKeys.invalidate();
      clients.check((caller) => caller.kind === 'operator');
    },
    interrupted: () => operatorKeys.invalidate(),
  });
  changes.listen(['partners'], {
    changed: (written) => {
      const ids = new Set(written.map(({ id }) => id));
      for (const id of ids) partners.invalidate(String(id));
      clients.check((caller) => caller.kind === 'partner' && ids.has(caller.partnerId));
      for (const id of ids) void endSessions(String(id)).catch(onError);
    },
    interrupted: () => clients.check(() => true),
  });
  eventFeed.onEvents((events) => {
    const holderIds = new Set(events.flatMap(({ type, viewers }) => (type === 'logged_out' ? [viewers.holderId] : [])));
    if (holderIds.size > 0) clients.check((caller) => caller.kind === 'holder' && holderIds.has(caller.holderId));
  });
}
