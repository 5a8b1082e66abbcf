// Completes a login, by code or by signature: one transaction opens the session, marks the login as used and writes the event.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { DomainError } from '../base/errors.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AppendEvents } from '../store/event-port.js';
import type { HolderRow } from './models.js';
import type { PartnerLogins } from './partner-logins.service.js';
import { loginGone } from './pending-logins.js';
import { sessionEvent } from './session-events.js';
import { type LoginResult, loginResultOf } from './session-types.js';
import type { Sessions } from './sessions.js';

/** A proven login. */
export interface ProvedLogin {
  holder: HolderRow;
  partnerId: string;
  partnerUserId: string | undefined;
  /** The partner whose page the holder came from. */
  sourcePartnerId?: string;
  /** Started with a partner token. */
  vouched: boolean;
  /** Uses the login up for a session. @returns the session that it has opened, an earlier one in a repeat; undefined if it was used. */
  spend(sessionId: string, session: ClientSession): Promise<string | undefined>;
}

export interface SessionOpeningParts {
  connection: Connection;
  partners: Pick<PartnerDirectory, 'find'>;
  sessions: Sessions;
  partnerLogins: PartnerLogins;
  appendEvents: AppendEvents;
}

/** Opens the session of a proven login. */
export class SessionOpener {
  constructor(private readonly parts: SessionOpeningParts) {}

  /** A repeat gets another token of the same session. @throws DomainError GONE if the login was used, or its partner retired meanwhile. */
  async open({ holder, partnerId, partnerUserId, sourcePartnerId, vouched, spend }: ProvedLogin): Promise<LoginResult> {
    const { connection, partners, sessions, partnerLogins, appendEvents } = this.parts;
    if ((await partners.find(partnerId)) === undefined) throw loginGone();
    const { _id: holderId, abstractAccountAddress } = holder;
    const of = { holderId, partnerId, partnerUserId };
    const own = randomUUID();
    return connection.transaction(async (session) => {
      const sessionId = await spend(own, session);
      if (sessionId === undefined) throw loginGone();
      if (sessionId !== own) {
        const again = await sessions.renew({ sessionId, ...of }, abstractAccountAddress, session).catch(asGone);
        return loginResultOf(holder, again);
      }
      const opening = { ...of, sessionId, sourcePartnerId, abstractAccountAddress, vouched };
      const token = await sessions.open(opening, session);
      await partnerLogins.remember(holderId, partnerId, session);
      const { token: _secret, ...facts } = loginResultOf(holder, token);
      await appendEvents([sessionEvent('logged_in', of, facts)], session);
      return loginResultOf(holder, token);
    });
  }
}

/** A session that has ended since is not opened again. */
function asGone(error: unknown): never {
  throw error instanceof DomainError && error.code === 'FORBIDDEN' ? loginGone() : error;
}
