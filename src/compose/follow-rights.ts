// What connected clients may do ends when it is taken away, and not with their connection.
import type { Clients } from '../http/clients.js';
import type { Services } from './context.js';

/** Connected clients are checked when rights end: a partner's by its record, a session's by its event in the log. */
export function followRights({ changes, partners, operatorKeys, eventFeed }: Services, clients: Clients): void {
  changes.listen(['partners'], {
    changed: (written) => {
      const ids = new Set(written.map(({ id }) => id));
      for (const id of ids) partners.invalidate(String(id));
      clients.check((caller) => caller.kind === 'partner' && ids.has(caller.partnerId));
    },
    interrupted: () => clients.check(() => true),
  });
  changes.listen(['operatorKeys'], {
    changed: () => {
      operatorKeys.forget();
      clients.check((caller) => caller.kind === 'operator');
    },
    interrupted: () => operatorKeys.forget(),
  });
  eventFeed.onEvents((events) => {
    const holderIds = new Set(events.flatMap(({ type, viewers }) => (type === 'logged_out' ? [viewers.holderId] : [])));
    if (holderIds.size > 0) clients.check((caller) => caller.kind === 'holder' && holderIds.has(caller.holderId));
  });
}
