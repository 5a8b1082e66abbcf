// Ends the rights of connected clients as soon as they are revoked.
import type { Clients } from '../http/callers/clients.js';
import type { Services } from './context.js';

/**
 * Checks connected clients when rights end: operators when their key changes, partners when their record changes,
 * sessions by their events in the log.
 */
export function followRights(
  { changes, partners, operatorKeys, eventFeed, onError }: Services,
  clients: Clients,
): void {
  /** Ends the sessions of a retired partner. */
  const endSessions = async (partnerId: string): Promise<void> => {
    if ((await partners.find(partnerId)) !== undefined) return;
    clients.check((caller) => caller.kind === 'holder' && caller.partnerId === partnerId);
  };
  // Added first, so that a check after an interruption does not find a withdrawn key in memory.
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
