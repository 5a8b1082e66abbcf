// Ends the rights of connected clients as soon as they are revoked.
import type { Clients } from '../http/callers/clients.js';
import type { Services } from './context.js';

/** Connected clients are checked when rights end: an operator's by its key, a partner's by its record, a session's by its event in the log. */
export function followRights({ changes, partners, operatorKeys, eventFeed }: Services, clients: Clients): void {
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
    },
    interrupted: () => clients.check(() => true),
  });
  eventFeed.onEvents((events) => {
    const holderIds = new Set(events.flatMap(({ type, viewers }) => (type === 'logged_out' ? [viewers.holderId] : [])));
    if (holderIds.size > 0) clients.check((caller) => caller.kind === 'holder' && holderIds.has(caller.holderId));
  });
}
